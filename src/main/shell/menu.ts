import type { MenuItemConstructorOptions } from 'electron';
import { texts } from './texts.ts';

/** The menu bar. Everything in it is a role, so its labels and shortcuts are the operating system's own. */
export function menuTemplate(options: {
  platform: NodeJS.Platform;
  development: boolean;
}): MenuItemConstructorOptions[] {
  const mac = options.platform === 'darwin';
  const development: MenuItemConstructorOptions[] = options.development
    ? [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }]
    : [];
  return [
    ...(mac ? [{ role: 'appMenu' } as const] : [{ label: texts.fileMenu, submenu: [{ role: 'quit' } as const] }]),
    {
      label: texts.editMenu,
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        { type: 'separator' },
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
      ],
    },
    {
      label: texts.viewMenu,
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...development,
      ],
    },
    { label: texts.windowMenu, submenu: [{ role: 'minimize' }, { role: 'close' }] },
  ];
}
