import type { Notification } from 'electron';
import type { ElectronApi } from '../electron-api.ts';
import type { ShellLogger } from '../shell-logger.ts';
import { fill, type Texts } from '../texts/texts.ts';
import type { Happening } from './host-state.ts';

/** Longest text of another program, here a page's origin, that a notification repeats. */
const MAX_FOREIGN_CHARS = 80;

const words: Readonly<Record<Happening['kind'], readonly [title: keyof Texts, body?: keyof Texts]>> = {
  'mint-done': ['jobDone', 'tokens'],
  'mint-failed': ['jobFailed', 'tokens'],
  'run-done': ['runDone', 'tokens'],
  'run-stopped': ['runStopped', 'tokens'],
  'mint-approval': ['approvalAsked', 'approvalMint'],
  'token-approval': ['approvalAsked', 'approvalToken'],
  'program-approval': ['approvalAsked', 'approvalProgram'],
  'page-approval': ['approvalAsked', 'approvalPage'],
  lost: ['connectionLost'],
  back: ['connectionBack'],
};

/** What a notification says. Names of tokens and amounts stay out of it: it is shown on locked screens too. */
export function noticeOf(happening: Happening, texts: Texts): { title: string; body: string } {
  const [title, body] = words[happening.kind];
  const count = 'tokens' in happening ? happening.tokens : 0;
  const origin = 'origin' in happening ? happening.origin.slice(0, MAX_FOREIGN_CHARS) : '';
  return { title: texts[title], body: body === undefined ? '' : fill(texts[body], { count, origin }) };
}

export interface NotifierOptions {
  readonly electron: Pick<ElectronApi, 'Notification'>;
  readonly logger: ShellLogger;
  readonly texts: () => Texts;
  /** Whether to show one now: they are switched on, and the window is not in front, where the page itself shows it. */
  readonly isWanted: () => boolean;
  readonly open: (view: string) => void;
}

/** Shows what happened as notifications of the operating system. A click opens the view. */
export class Notifier {
  readonly #options: NotifierOptions;
  /** They must be held as long as they are shown, or their clicks are lost. */
  readonly #shown = new Set<Notification>();

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  tell(happening: Happening): void {
    const { electron, logger, texts, isWanted, open } = this.#options;
    if (!isWanted() || !electron.Notification.isSupported()) return;
    const notification = new electron.Notification(noticeOf(happening, texts()));
    this.#shown.add(notification);
    const forget = (): void => void this.#shown.delete(notification);
    notification.on('click', () => {
      forget();
      open(happening.view);
    });
    notification.on('close', forget);
    notification.on('failed', (_event, error) => {
      forget();
      logger.warn({ error }, 'a notification was not shown');
    });
    notification.show();
  }

  close(): void {
    for (const notification of this.#shown) notification.close();
    this.#shown.clear();
  }
}
