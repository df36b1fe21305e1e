import type { IpcMainEvent, WebContents } from 'electron';
import type { ElectronApi } from '../electron-api.ts';
import type { HostLink } from '../host/host-link.ts';
import type { ShellLogger } from '../shell-logger.ts';
import { isAppUrl } from './scheme.ts';

/** The one channel between the shell and the preload script. */
export const PORT_CHANNEL = 'planchet:port';

export interface PortBrokerOptions {
  electron: Pick<ElectronApi, 'ipcMain' | 'MessageChannelMain'>;
  link: Pick<HostLink, 'serve'>;
  logger: ShellLogger;
}

/** Gives the page of each window one port to the handlers, and closes it when the page goes away. */
export class PortBroker {
  readonly #options: PortBrokerOptions;
  /** Known windows, with what closes the port each has. */
  readonly #windows = new Map<WebContents, (() => void) | undefined>();

  constructor(options: PortBrokerOptions) {
    this.#options = options;
    options.electron.ipcMain.on(PORT_CHANNEL, (event) => this.#onRequest(event));
  }

  /** Lets the page of a window ask for a port. */
  admit(contents: WebContents): void {
    this.#windows.set(contents, undefined);
    contents.on('render-process-gone', () => this.#takeBack(contents));
    contents.once('destroyed', () => {
      this.#takeBack(contents);
      this.#windows.delete(contents);
    });
  }

  close(): void {
    this.#options.electron.ipcMain.removeAllListeners(PORT_CHANNEL);
    for (const contents of this.#windows.keys()) this.#takeBack(contents);
    this.#windows.clear();
  }

  #onRequest(event: IpcMainEvent): void {
    // Read at once: it is gone when the frame navigates or closes.
    const frame = event.senderFrame;
    const ours = frame !== null && frame.parent === null && isAppUrl(frame.url) && this.#windows.has(event.sender);
    if (!ours) {
      this.#options.logger.warn({}, 'a frame that is not the page asked for a port');
      return;
    }
    this.#takeBack(event.sender);
    const { port1, port2 } = new this.#options.electron.MessageChannelMain();
    this.#windows.set(event.sender, this.#options.link.serve(port1));
    frame.postMessage(PORT_CHANNEL, null, [port2]);
  }

  #takeBack(contents: WebContents): void {
    this.#windows.get(contents)?.();
    if (this.#windows.has(contents)) this.#windows.set(contents, undefined);
  }
}
