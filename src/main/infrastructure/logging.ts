import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { pino } from 'pino';
import type { Settings } from '../../contract/index.ts';
import { LogFile } from './log-file.ts';
import { LogTail } from './log-tail.ts';

const FILE = 'planchet.log';
/** Shorter texts would blank out ordinary words. */
const MIN_SECRET_CHARS = 6;

/**
 * Keeps secrets out of the log whatever path they take into a line: every secret the host handles is registered here, and each line
 * is searched before it is written. Field names that usually hold secrets are blanked as well, for secrets nobody registered.
 */
export class Redactor {
  readonly #secrets = new Set<string>();

  add(secret: string): void {
    if (secret.length < MIN_SECRET_CHARS) return;
    this.#secrets.add(secret);
    // A secret inside a URL or a JSON text appears escaped.
    const encoded = encodeURIComponent(secret);
    if (encoded !== secret) this.#secrets.add(encoded);
    const escaped = JSON.stringify(secret).slice(1, -1);
    if (escaped !== secret) this.#secrets.add(escaped);
    this.#secrets.add(Buffer.from(secret).toString('base64'));
  }

  clean(line: string): string {
    let cleaned = line;
    for (const secret of this.#secrets) {
      if (cleaned.includes(secret)) cleaned = cleaned.replaceAll(secret, '[redacted]');
    }
    return cleaned;
  }
}

const secretFields = [
  'authorization',
  'cookie',
  'set-cookie',
  'apikey',
  'apiKey',
  'password',
  'rpcPassword',
  'passphrase',
  'token',
  'mnemonic',
  'seed',
  'privateKey',
];

export interface Logging {
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** The newest lines, for those who read along. */
  readonly tail: LogTail;
  /** Folder of the rotating files. */
  readonly folder: string;
  /** From now on writes what is this severe or more, for every part of the program. */
  setLevel(level: Settings['logLevel']): void;
  close(): Promise<void>;
}

/**
 * Opens the rotating log files in `<dataDir>/logs` (10 MB each, the newest five old ones kept, readable by their owner only).
 * @param level the least severe level written
 */
export function openLogging(dataDir: string, level: Settings['logLevel']): Logging {
  const folder = join(dataDir, 'logs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const tail = new LogTail(join(folder, FILE));
  const file = new LogFile(folder, FILE);
  const redactor = new Redactor();
  // A child logger keeps the level it was made with, so a new level is set on each of them.
  const loggers: Logger[] = [];
  const logger = pino(
    {
      level,
      onChild: (child: Logger) => void loggers.push(child),
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: secretFields.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]),
        censor: '[redacted]',
      },
    },
    {
      write: (line: string) => {
        const clean = redactor.clean(line);
        file.write(clean);
        tail.push(clean);
      },
    },
  );
  loggers.push(logger);
  return {
    logger,
    redactor,
    tail,
    folder,
    setLevel: (wanted) => {
      for (const one of loggers) one.level = wanted;
    },
    close: () => file.close(),
  };
}
