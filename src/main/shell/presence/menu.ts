import type { MenuItemConstructorOptions } from 'electron';
import type { Texts } from '../texts/texts.ts';
import type { ShellActions } from './actions.ts';

export interface MenuOptions {
  readonly platform: NodeJS.Platform;
  readonly development: boolean;
  readonly texts: Texts;
  readonly actions: ShellActions;
  /** False where the package cannot replace itself, as in development. */
  readonly updates: boolean;
}

/** The menu bar. Items use roles where there is one, so that label and shortcut are the operating system's own. */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const { platform, development, texts, actions } = options;
  const mac = platform === 'darwin';
  const separator = { type: 'separator' } as const;
  const settings: MenuItemConstructorOptions = {
    label: texts.settings,
    accelerator: 'CommandOrControl+,',
    click: () => actions.open('/settings'),
  };
  const lock: MenuItemConstructorOptions = {
    label: texts.lock,
    accelerator: 'CommandOrControl+Shift+L',
    click: () => actions.lock(),
  };
  const own = [settings, ...preferenceItems(options), separator, lock, separator];
  const first: MenuItemConstructorOptions = mac
    ? {
        label: texts.appName,
        submenu: [
          { role: 'about' },
          separator,
          ...own,
          { role: 'services' },
          separator,
          { role: 'hide' },
          { role: 'hideOthers' },
          { role: 'unhide' },
          separator,
          { role: 'quit' },
        ],
      }
    : { label: texts.fileMenu, submenu: [...own, { role: 'close' }, { role: 'quit' }] };
  return [
    first,
    {
      label: texts.editMenu,
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        separator,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
      ],
    },
    {
      label: texts.viewMenu,
      submenu: [
        { label: texts.dashboard, accelerator: 'CommandOrControl+1', click: () => actions.open('/') },
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
        ...(development ? [separator, { role: 'reload' } as const, { role: 'toggleDevTools' } as const] : []),
      ],
    },
    {
      label: texts.windowMenu,
      role: 'window',
      submenu: mac
        ? [{ role: 'minimize' }, { role: 'zoom' }, { role: 'close' }, separator, { role: 'front' }]
        : [{ role: 'minimize' }, { role: 'close' }],
    },
    {
      label: texts.helpMenu,
      role: 'help',
      submenu: [
        { label: texts.help, accelerator: 'F1', click: () => actions.open('/help') },
        ...(mac ? [] : [{ role: 'about' } as const]),
      ],
    },
  ];
}

/** The shell's own preferences. They stand in the menu, since the page and the host know nothing of windows and trays. */
function preferenceItems({ platform, texts, actions, updates }: MenuOptions): MenuItemConstructorOptions[] {
  const choice = <K extends 'onClose' | 'updates'>(
    key: K,
    value: ReturnType<typeof actions.preference<K>>,
    label: string,
  ): MenuItemConstructorOptions => ({
    label,
    type: 'radio',
    checked: actions.preference(key) === value,
    click: () => actions.setPreference(key, value),
  });
  const items: MenuItemConstructorOptions[] = [
    {
      label: texts.atLogin,
      type: 'checkbox',
      checked: actions.preference('launchAtLogin'),
      click: ({ checked }) => actions.setPreference('launchAtLogin', checked),
    },
    {
      label: texts.notifications,
      type: 'checkbox',
      checked: actions.preference('notifications'),
      click: ({ checked }) => actions.setPreference('notifications', checked),
    },
  ];
  // On macOS closing the window never ends an application.
  if (platform !== 'darwin') {
    items.push({
      label: texts.onClose,
      submenu: [
        choice('onClose', 'ask', texts.askOnClose),
        choice('onClose', 'tray', texts.stayOnClose),
        choice('onClose', 'quit', texts.quitOnClose),
      ],
    });
  }
  if (updates) {
    items.push({
      label: texts.updates,
      submenu: [
        choice('updates', 'off', texts.updatesOff),
        choice('updates', 'notify', texts.updatesNotify),
        choice('updates', 'auto', texts.updatesAuto),
        { type: 'separator' },
        { label: texts.checkNow, click: () => actions.checkForUpdate() },
      ],
    });
  }
  return items;
}
