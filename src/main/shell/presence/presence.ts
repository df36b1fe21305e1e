import type { Language } from '../../../contract/index.ts';
import type { ElectronApi } from '../electron-api.ts';
import type { HostLink } from '../host/host-link.ts';
import { described, type ShellLogger } from '../shell-logger.ts';
import { type Texts, textsIn } from '../texts/texts.ts';
import type { ShellActions } from './actions.ts';
import { type HostState, progressOf } from './host-state.ts';
import { KeepAwake } from './keep-awake.ts';
import { Notifier } from './notifier.ts';
import { ShellTray } from './tray.ts';
import { HostWatch } from './watch.ts';

export interface PresenceOptions {
  readonly electron: Pick<ElectronApi, 'Tray' | 'Menu' | 'nativeImage' | 'Notification' | 'powerSaveBlocker'>;
  readonly platform: NodeJS.Platform;
  readonly icons: string;
  readonly actions: ShellActions;
  readonly logger: ShellLogger;
  readonly language: Language;
  /** The language of the person's system, used if none was chosen. */
  readonly systemLanguage: Language;
  readonly isFocused: () => boolean;
  readonly onProgress: (share: number | 'unknown' | null) => void;
  readonly onLanguage: (language: Language) => void;
}

/** Everything outside the window that shows how the host does: tray, taskbar, notifications, and the computer that stays awake. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #watch: HostWatch;
  readonly #notifier: Notifier;
  readonly #awake: KeepAwake;
  readonly #tray: ShellTray | undefined;
  #language: Language;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#language = options.language;
    const { electron, actions, logger } = options;
    this.#awake = new KeepAwake(electron.powerSaveBlocker);
    this.#notifier = new Notifier({
      electron,
      logger,
      texts: () => this.texts,
      isWanted: () => actions.preference('notifications') && !options.isFocused(),
      open: (view) => actions.open(view),
    });
    this.#watch = new HostWatch({
      onState: (state) => this.#show(state),
      onHappening: (happening) => this.#notifier.tell(happening),
    });
    this.#tray = this.#createTray();
    this.#show(this.#watch.state);
  }

  get state(): HostState {
    return this.#watch.state;
  }

  get texts(): Texts {
    return textsIn(this.#language);
  }

  get hasTray(): boolean {
    return this.#tray !== undefined;
  }

  follow(link: HostLink): void {
    this.#watch.follow(link.client).catch((error: unknown) => {
      this.#options.logger.warn(described(error), 'the events of the host ended');
    });
  }

  close(): void {
    this.#watch.close();
    this.#awake.set(false);
    this.#notifier.close();
    this.#tray?.close();
  }

  #show(state: HostState): void {
    const { onProgress, onLanguage, systemLanguage } = this.#options;
    if (state.known) {
      const language = state.language === 'system' ? systemLanguage : state.language;
      if (language !== this.#language) {
        this.#language = language;
        onLanguage(language);
      }
    }
    this.#awake.set(state.working.size > 0);
    onProgress(progressOf(state));
    this.#tray?.show(state, this.texts);
  }

  #createTray(): ShellTray | undefined {
    const { electron, platform, icons, actions, logger } = this.#options;
    try {
      return new ShellTray({ electron, platform, icons, actions });
    } catch (error) {
      logger.warn(described(error), 'there is no tray');
      return undefined;
    }
  }
}
