import { join } from 'node:path';
import type { MenuItemConstructorOptions, Tray } from 'electron';
import type { ElectronApi } from '../electron-api.ts';
import { fill, type Texts } from '../texts/texts.ts';
import type { ShellActions } from './actions.ts';
import { type HostState, problemsOf } from './host-state.ts';

export type TrayState = 'starting' | 'problem' | 'working' | 'locked' | 'running';

/** What the icon shows: a problem before everything else, then work, then the lock. */
export function trayState(state: HostState): TrayState {
  if (!state.known) return 'starting';
  if (problemsOf(state) > 0) return 'problem';
  if (state.working.size > 0) return 'working';
  return state.locked ? 'locked' : 'running';
}

/** The state in words, for the tooltip and the first line of the menu. */
export function stateText(state: HostState, texts: Texts): string {
  const count = problemsOf(state);
  const jobs = state.working.size;
  const words: Record<TrayState, string> = {
    starting: texts.stateStarting,
    problem: count === 1 ? texts.stateProblem : fill(texts.stateProblems, { count }),
    working: jobs === 1 ? texts.stateWorking : fill(texts.stateWorkingMany, { count: jobs }),
    locked: texts.stateLocked,
    running: texts.stateRunning,
  };
  return words[trayState(state)];
}

/** The tray's menu. Lines that only inform are disabled. */
function trayMenu(state: HostState, texts: Texts, actions: ShellActions): MenuItemConstructorOptions[] {
  const address = state.endpoints?.rpc ?? null;
  return [
    { label: stateText(state, texts), enabled: false },
    { label: address === null ? texts.endpointOff : fill(texts.endpointAt, { address }), enabled: false },
    { type: 'separator' },
    { label: texts.openPlanchet, click: () => actions.open() },
    { label: texts.copyEndpoint, enabled: address !== null, click: () => actions.copyEndpoint() },
    { label: texts.lock, enabled: state.known && !state.locked, click: () => actions.lock() },
    { type: 'separator' },
    { label: texts.quit, click: () => actions.quit() },
  ];
}

export interface ShellTrayOptions {
  readonly electron: Pick<ElectronApi, 'Tray' | 'Menu' | 'nativeImage'>;
  readonly platform: NodeJS.Platform;
  readonly icons: string;
  readonly actions: ShellActions;
}

/** The icon in the tray or the menu bar. */
export class ShellTray {
  readonly #options: ShellTrayOptions;
  readonly #tray: Tray;
  #shown = '';

  /** @throws Error where the desktop has no tray */
  constructor(options: ShellTrayOptions) {
    this.#options = options;
    this.#tray = new options.electron.Tray(this.#icon('starting'));
    // On macOS a click opens the menu, and the event is sent all the same.
    if (options.platform !== 'darwin') this.#tray.on('click', () => options.actions.open());
  }

  /** Redraws only after a change: redrawing the tray closes an open menu. */
  show(state: HostState, texts: Texts): void {
    const { electron, actions } = this.#options;
    const template = trayMenu(state, texts, actions);
    const shown = JSON.stringify([trayState(state), template]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setImage(this.#icon(trayState(state)));
    this.#tray.setToolTip(`${texts.appName}: ${stateText(state, texts)}`);
    this.#tray.setContextMenu(electron.Menu.buildFromTemplate(template));
  }

  close(): void {
    this.#tray.destroy();
  }

  #icon(state: TrayState) {
    const { electron, platform, icons } = this.#options;
    // macOS colours the icon itself to fit its menu bar, and takes only its shape.
    const mac = platform === 'darwin';
    const name = state === 'starting' ? 'running' : state;
    const image = electron.nativeImage.createFromPath(join(icons, mac ? `${name}Template.png` : `${name}.png`));
    if (mac) image.setTemplateImage(true);
    return image;
  }
}
