import type { ElectronApi } from '../electron-api.ts';
import type { Texts } from '../texts/texts.ts';

const MAX_URL_CHARS = 2_048;

/**
 * The address a click may open in the person's browser: `https`, or `http` on this machine. Everything else could start a program.
 * @returns undefined where it may not be opened
 */
export function externalUrl(text: string): URL | undefined {
  const url = text.length > MAX_URL_CHARS ? null : URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback) ? url : undefined;
}

/** Opens a link in the browser, after the person has seen where it leads. One question at a time. */
export class ExternalLinks {
  readonly #electron: Pick<ElectronApi, 'dialog' | 'shell'>;
  readonly #texts: () => Texts;
  #asking = false;

  constructor(electron: Pick<ElectronApi, 'dialog' | 'shell'>, texts: () => Texts) {
    this.#electron = electron;
    this.#texts = texts;
  }

  /** @returns whether it was opened */
  async open(text: string): Promise<boolean> {
    const url = externalUrl(text);
    if (url === undefined || this.#asking) return false;
    this.#asking = true;
    try {
      const texts = this.#texts();
      const { response } = await this.#electron.dialog.showMessageBox({
        type: 'question',
        message: texts.openLink,
        detail: url.href,
        buttons: [texts.open, texts.cancel],
        defaultId: 1,
        cancelId: 1,
        noLink: true,
      });
      if (response !== 0) return false;
      await this.#electron.shell.openExternal(url.href);
      return true;
    } finally {
      this.#asking = false;
    }
  }
}
