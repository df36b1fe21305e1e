import { forkPictures } from '../fork-pictures.ts';
import type { PictureProcess, PictureRequest, StartPictureProcess } from '../picture-process.ts';

/** Real picture processes; a test sees how many were started and how they ended. */
export class WatchedPictures {
  readonly started: PictureProcess[] = [];
  /** What was asked of all of them, in order. */
  readonly asked: PictureRequest['type'][] = [];
  /** Exit codes and signals, in order. */
  readonly ended: string[] = [];
  /** How many of the next processes are killed as soon as they are asked for a picture. */
  toKill = 0;
  readonly #fork: StartPictureProcess;

  /** @param entry left out, the one of Planchet */
  constructor(entry?: string) {
    this.#fork = forkPictures(entry);
  }

  readonly start: StartPictureProcess = ({ onMessage, onEnd }) => {
    const forked = this.#fork({
      onMessage,
      onEnd: (reason) => {
        this.ended.push(reason);
        onEnd(reason);
      },
    });
    const isKilled = this.toKill > 0;
    if (isKilled) this.toKill -= 1;
    const process: PictureProcess = {
      post: (request) => {
        this.asked.push(request.type);
        forked.post(request);
        if (isKilled) forked.kill();
      },
      kill: () => forked.kill(),
    };
    this.started.push(process);
    return process;
  };
}
