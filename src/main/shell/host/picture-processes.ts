import type { UtilityProcess } from 'electron';
import { pictureEnvironment } from '../../pictures/picture-process.ts';
import type { ToHost } from '../../process/protocol.ts';
import type { ElectronApi } from '../electron-api.ts';

export interface PictureProcessesOptions {
  readonly electron: Pick<ElectronApi, 'utilityProcess'>;
  /** Path of `picture-process`. */
  readonly entry: string;
  readonly post: (message: ToHost) => void;
}

/** The picture processes that one run of the host asked for, in utility processes of their own. */
export class PictureProcesses {
  readonly #options: PictureProcessesOptions;
  readonly #running = new Map<number, UtilityProcess>();

  constructor(options: PictureProcessesOptions) {
    this.#options = options;
  }

  start(id: number): void {
    const { electron, entry, post } = this.#options;
    const child = electron.utilityProcess.fork(entry, [], {
      serviceName: 'Planchet pictures',
      execArgv: [],
      env: pictureEnvironment(process.env),
      stdio: 'ignore',
    });
    this.#running.set(id, child);
    child.on('message', (message: unknown) => post({ type: 'picture', id, message }));
    // Its `exit` follows. Without a listener the error would be thrown here.
    child.on('error', () => {});
    child.once('exit', (code) => {
      this.#running.delete(id);
      post({ type: 'pictures-ended', id, reason: String(code) });
    });
  }

  ask(id: number, request: unknown): void {
    this.#running.get(id)?.postMessage(request);
  }

  kill(id: number): void {
    this.#running.get(id)?.kill();
  }

  killAll(): void {
    for (const child of this.#running.values()) child.kill();
  }
}
