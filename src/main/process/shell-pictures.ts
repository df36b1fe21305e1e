import type { PictureProcess, PictureProcessEvents } from '../pictures/picture-process.ts';
import type { FromHost } from './protocol.ts';

/** The picture processes of a host on the desktop: the shell starts them, and passes on what they and the host say to each other. */
export class ShellPictures {
  readonly #post: (message: FromHost) => void;
  readonly #running = new Map<number, PictureProcessEvents>();
  #started = 0;

  constructor(post: (message: FromHost) => void) {
    this.#post = post;
  }

  start(events: PictureProcessEvents): PictureProcess {
    this.#started += 1;
    const id = this.#started;
    this.#running.set(id, events);
    this.#post({ type: 'start-pictures', id });
    return {
      post: (request) => this.#post({ type: 'ask-pictures', id, request }),
      kill: () => this.#post({ type: 'kill-pictures', id }),
    };
  }

  answered(id: number, message: unknown): void {
    this.#running.get(id)?.onMessage(message);
  }

  ended(id: number, reason: string): void {
    this.#running.get(id)?.onEnd(reason);
    this.#running.delete(id);
  }
}
