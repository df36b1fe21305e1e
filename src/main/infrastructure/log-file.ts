import { createStream, type RotatingFileStream } from 'rotating-file-stream';

const MAX_FILE_SIZE = '10M';
const MAX_OLD_FILES = 5;
/** Readable by its owner only. */
const MODE = 0o600;
/** How long after a failure the file is opened again. */
const REST_MS = 5_000;

/**
 * The rotating log file (10 MB each, the newest five old ones kept). A log that cannot be written, as on a full disk, must not end the
 * process: lines are then left out and counted, and their number is logged when there is room again.
 */
export class LogFile {
  readonly #folder: string;
  readonly #name: string;
  readonly #now: () => number;
  #stream: RotatingFileStream | undefined;
  #openAt = Number.NEGATIVE_INFINITY;
  #lost = 0;
  #reason = '';

  /** @param now monotonic, in milliseconds */
  constructor(folder: string, name: string, now: () => number = () => performance.now()) {
    this.#folder = folder;
    this.#name = name;
    this.#now = now;
    this.#stream = this.#open();
  }

  /** Lines left out since their number was last logged. */
  get lost(): number {
    return this.#lost;
  }

  /** @param line with its end */
  write(line: string): void {
    if (this.#stream === undefined) {
      if (this.#now() < this.#openAt) {
        this.#lost += 1;
        return;
      }
      this.#stream = this.#open();
      this.#tellLost(this.#stream);
    }
    this.#put(this.#stream, line, 1);
  }

  /** Resolves when what could be written is in the file. */
  async close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    this.#openAt = Number.POSITIVE_INFINITY;
    if (stream === undefined || stream.closed) return;
    await new Promise<void>((resolve) => {
      stream.once('close', () => resolve());
      stream.end();
    });
  }

  #open(): RotatingFileStream {
    const stream = createStream(this.#name, {
      path: this.#folder,
      size: MAX_FILE_SIZE,
      maxFiles: MAX_OLD_FILES,
      mode: MODE,
    });
    stream.on('error', (error) => {
      this.#reason = error.message;
      if (this.#stream !== stream) return;
      this.#stream = undefined;
      this.#openAt = this.#now() + REST_MS;
    });
    return stream;
  }

  #tellLost(stream: RotatingFileStream): void {
    const lost = this.#lost;
    if (lost === 0) return;
    this.#lost = 0;
    const msg = `${lost} lines of this log could not be written: ${this.#reason}`;
    this.#put(stream, `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg })}\n`, lost);
  }

  /** @param lines number of lines that are lost if the write fails */
  #put(stream: RotatingFileStream, line: string, lines: number): void {
    stream.write(line, (error) => {
      if (error) this.#lost += lines;
    });
  }
}
