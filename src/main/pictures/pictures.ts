import { z } from 'zod';
import { PlanchetError } from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import { endsWithin } from '../clock.ts';
import type { Clock } from '../ports/clock.ts';
import type { CertificatePage, Pictures } from '../ports/pictures.ts';
import type { Drawn, PictureProcess, PictureReply, PictureRequest, StartPictureProcess } from './picture-process.ts';

/** A picture is given up after its process ended this often: the picture may be the cause. */
const ATTEMPTS = 2;
/** An idle process ends after this time. */
const IDLE_MS = 30_000;
/** A process that takes longer hangs: decoding stops after half of this, and the rest is enough for its start. */
const LIMIT_MS = 30_000;
/** The longest that a process may take to end when it is asked to. */
const END_MS = 2_000;

const replySchema: z.ZodType<PictureReply> = z.union([
  z.object({
    bytes: z.custom<Drawn>(
      (value) => value instanceof Uint8Array || value === 'too-large' || value === 'too-slow' || value === null,
    ),
  }),
  z.object({ failed: z.string() }),
]);

export interface PicturesOptions {
  readonly start: StartPictureProcess;
  readonly clock: Clock;
  /** The most processes that make pictures at the same time; one unless it is given. */
  readonly processes?: number;
}

interface Run {
  readonly process: PictureProcess;
  readonly ended: Promise<void>;
  /** Settles with the picture that it makes now. */
  waiting: PromiseWithResolvers<PictureReply> | undefined;
}

/** The process of a picture ended before the picture was made. */
class ProcessEnded extends Error {}

/** Most processes that {@link processesFor} gives. */
const MAX_PROCESSES = 4;
/** Memory of the machine for each process: a picture of many pixels takes 400 MB while it is decoded. */
const BYTES_EACH = 2_000_000_000;

/**
 * How many processes a machine has room for, at least one: two for each processor, as one of them waits for its next picture.
 * @param memory of the whole machine, in bytes
 */
export function processesFor(cores: number, memory: number): number {
  return Math.max(1, Math.min(MAX_PROCESSES, 2 * cores, Math.floor(memory / BYTES_EACH)));
}

/** Makes pictures in processes: one starts with the first picture, another where all others are at work. */
export function createPictures(options: PicturesOptions): Pictures {
  const makers = Array.from({ length: options.processes ?? 1 }, () => new PictureMaker(options));
  /** The first of those with the fewest to make. */
  const next = (): PictureMaker => makers.reduce((best, maker) => (maker.asked < best.asked ? maker : best));
  return {
    thumbnail: (path) => next().thumbnail(path),
    resized: (content, side) => next().resized(content, side),
    certificate: (page) => next().certificate(page),
    stop: async () => void (await Promise.all(makers.map((maker) => maker.stop()))),
  };
}

/** One process at a time, which makes one picture after the other. */
class PictureMaker implements Pictures {
  /** Pictures that were asked for and are not made yet. */
  asked = 0;
  readonly #options: PicturesOptions;
  #run: Run | undefined;
  readonly #last = new Sequencer();
  #stopping = new AbortController();
  #cancelIdle: () => void = () => {};

  constructor(options: PicturesOptions) {
    this.#options = options;
  }

  thumbnail(path: string): Promise<Drawn> {
    return this.#inTurn({ type: 'thumbnail', path });
  }

  resized(content: Uint8Array, side: number): Promise<Drawn> {
    return this.#inTurn({ type: 'resized', content, side });
  }

  async certificate(page: CertificatePage): Promise<Uint8Array> {
    const pdf = await this.#inTurn({ type: 'certificate', page });
    if (!(pdf instanceof Uint8Array)) throw new Error('no certificate was drawn');
    return pdf;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    const run = this.#run;
    if (run === undefined) return;
    const { waiting } = run;
    this.#forget(run);
    waiting?.reject(new PlanchetError('host.stopping'));
    // It handles `end` only after its picture is made.
    if (waiting !== undefined) run.process.kill();
    await this.#end(run);
  }

  async #inTurn(request: PictureRequest): Promise<Drawn> {
    const { signal } = this.#stopping;
    this.asked++;
    try {
      return await this.#last.run(() => this.#make(request, signal));
    } finally {
      this.asked--;
    }
  }

  async #make(request: PictureRequest, signal: AbortSignal): Promise<Drawn> {
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) throw new PlanchetError('host.stopping');
      try {
        const reply = await this.#ask(request);
        if ('bytes' in reply) return reply.bytes;
        throw new Error(reply.failed);
      } catch (error) {
        if (!(error instanceof ProcessEnded) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #ask(request: PictureRequest): Promise<PictureReply> {
    this.#cancelIdle();
    this.#run ??= this.#start();
    const run = this.#run;
    const waiting = Promise.withResolvers<PictureReply>();
    run.waiting = waiting;
    const cancelLimit = this.#options.clock.after(LIMIT_MS, () => this.#giveUp(run, 'it did not answer in time'));
    run.process.post(request);
    try {
      return await waiting.promise;
    } finally {
      cancelLimit();
      run.waiting = undefined;
      if (this.#run === run) this.#endWhenIdle(run);
    }
  }

  #start(): Run {
    const ended = Promise.withResolvers<void>();
    const run: Run = {
      process: this.#options.start({
        onMessage: (message) => {
          const reply = replySchema.safeParse(message);
          if (reply.success) run.waiting?.resolve(reply.data);
          else this.#giveUp(run, 'it answered what is no picture');
        },
        onEnd: (reason) => {
          ended.resolve();
          this.#lose(run, reason);
        },
      }),
      ended: ended.promise,
      waiting: undefined,
    };
    return run;
  }

  #giveUp(run: Run, reason: string): void {
    run.process.kill();
    this.#lose(run, reason);
  }

  #lose(run: Run, reason: string): void {
    this.#forget(run);
    run.waiting?.reject(new ProcessEnded(`The process that makes pictures ended: ${reason}`));
  }

  #endWhenIdle(run: Run): void {
    this.#cancelIdle = this.#options.clock.after(IDLE_MS, () => {
      this.#forget(run);
      void this.#end(run);
    });
  }

  /** Lets the next picture start another process. */
  #forget(run: Run): void {
    if (this.#run !== run) return;
    this.#cancelIdle();
    this.#run = undefined;
  }

  async #end(run: Run): Promise<void> {
    run.process.post({ type: 'end' });
    if (!(await endsWithin(run.ended, END_MS))) run.process.kill();
  }
}
