import { randomUUID } from 'node:crypto';
import { arch, release } from 'node:os';
import {
  type AppInfo,
  type Contract,
  type Diagnostics,
  type DoctorFinding,
  type Notice,
  PlanchetError,
  type Serves,
  type ServiceStatus,
  type SettingEntry,
} from '../../../contract/index.ts';
import { Zip } from '../../../contract/zip.ts';
import type { Clock } from '../../ports/clock.ts';
import { scrub } from './scrub.ts';

const LOG_LINES = 1_000;

export interface DiagnosticsOptions {
  clock: Clock;
  info: () => AppInfo;
  services: () => ServiceStatus[];
  notices: () => Notice[];
  settings: () => SettingEntry[];
  doctor: () => Promise<DoctorFinding[]>;
  /** The newest lines of the log. */
  log: (limit: number) => Promise<string[]>;
  /** Masks the secrets that this process knows. */
  redact: (text: string) => string;
}

/** A report about the state of the program, for support: without secrets or the name of the user, and shown before it is saved. */
export class DiagnosticReports implements Serves<Contract['diagnostics']> {
  readonly #options: DiagnosticsOptions;
  #last: Diagnostics | undefined;

  constructor(options: DiagnosticsOptions) {
    this.#options = options;
  }

  async preview(): Promise<Diagnostics> {
    const { clock, info, services, notices, settings, doctor, log } = this.#options;
    const { dataDir: _dataDir, ...about } = info();
    const machine = { node: process.versions.node, system: `${process.platform} ${release()} ${arch()}` };
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    const files = [
      json('about.json', { ...about, ...machine, madeAt: new Date(clock.now()).toISOString() }),
      json('settings.json', Object.fromEntries(settings().map((entry) => [entry.key, shown(entry)]))),
      json('health.json', { services: services(), notices: notices() }),
      json('doctor.json', await doctor()),
      { name: 'log.txt', text: (await log(LOG_LINES)).map((line) => line.trimEnd()).join('\n') },
    ];
    this.#last = {
      id: randomUUID(),
      fileName: `planchet-diagnostics-${day}.zip`,
      files: files.map(({ name, text }) => ({ name, text: this.#clean(text) })),
    };
    return this.#last;
  }

  /** @throws PlanchetError `not-found` where another preview was made since */
  async zip({ id }: { id: string }): Promise<Blob> {
    if (this.#last?.id !== id) throw new PlanchetError('host.diagnostics-gone');
    const zip = new Zip();
    for (const { name, text } of this.#last.files) await zip.add(name, new Blob([text]));
    return zip.finish();
  }

  #clean(text: string): string {
    return scrub(this.#options.redact(text), this.#options.info().dataDir);
  }
}

function json(name: string, content: unknown): { name: string; text: string } {
  return { name, text: `${JSON.stringify(content, null, 2)}\n` };
}

function shown({ secret, isSet, value, origin }: SettingEntry): unknown {
  const visible = secret ? `(${isSet ? 'set' : 'not set'})` : value;
  return origin === 'default' ? visible : { value: visible, origin };
}
