import { fileURLToPath } from 'node:url';
import { PlanchetError } from '../../../contract/index.ts';
import { createHttpClient } from '../../console/http-client.ts';
import type { HostOptions } from '../../host/host.ts';
import { lockOwner, resolveDataDir } from '../../infrastructure/data-folder.ts';
import { version } from '../../version.ts';
import { interruptible } from './interruption.ts';
import type { Client, GlobalOptions, Shell } from './run.ts';
import { passphraseSource } from './terminal.ts';

/** The built page, as seen from this source or from the bundle it becomes a part of. */
const pageFolder = import.meta.url.endsWith('.ts') ? '../../../../out/renderer' : '../renderer';

/** What the tests run on. Node 20 lacks much of it, and would fail in the middle. */
const MIN_NODE_MAJOR = 24;

/** A host that has not answered after this time hangs. */
const SILENT_MS = 5_000;

/** The host options that a command derives from its own. */
export function hostOptions(options: GlobalOptions): Omit<HostOptions, 'scope'> {
  return {
    dataDir: resolveDataDir(options.dataDir),
    overrides: { ...options.set, ...(options.network ? { network: options.network } : {}) },
    environment: process.env,
    safeMode: options.safeMode,
    passphrase: passphraseSource(options.passphraseFile),
    shell: 'terminal',
    version,
    rendererDir: fileURLToPath(new URL(pageFolder, import.meta.url)),
  };
}

/**
 * A client of the running host where one holds the data folder; in its name nothing is opened twice. It lets us in by the token that only
 * this user can read from the lock.
 * @returns undefined where none runs
 * @throws PlanchetError `not-running` where it runs but cannot be reached or does not answer, `conflict` where it runs on another network or
 *   this process on a Node that is too old
 */
export async function runningClient(options: GlobalOptions): Promise<Client | undefined> {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < MIN_NODE_MAJOR) throw new PlanchetError('cli.node-too-old', { version: node });
  const owner = lockOwner(resolveDataDir(options.dataDir));
  if (owner === undefined) return undefined;
  if (owner.console === null) throw new PlanchetError('cli.console-unreachable', { pid: owner.pid });
  const client = createHttpClient({ url: owner.console, bearer: owner.token });
  if (Object.keys(options.set).length > 0) throw new PlanchetError('cli.settings-for-one-run', { pid: owner.pid });
  const info: { network?: string } | undefined = await client.app.info(undefined, {
    signal: AbortSignal.timeout(SILENT_MS),
  });
  const network = info?.network;
  if (network === undefined) throw new PlanchetError('cli.host-other-version');
  // A script that names its network in the environment means it, too.
  const named = options.network ?? process.env.PLANCHET_NETWORK;
  if (named !== undefined && named !== network)
    throw new PlanchetError('cli.other-network', { network, pid: owner.pid });
  return client;
}

/** For what only a running host has. @throws PlanchetError what {@link runningClient} throws, and `not-running` */
export async function requireRunning(options: GlobalOptions): Promise<Client> {
  const client = await runningClient(options);
  if (client === undefined) throw new PlanchetError('cli.not-running');
  return client;
}

/** What a command gets besides the client. */
export interface Surroundings {
  /** The host is the command's own and ends with it. */
  readonly isOwnHost: boolean;
  /** Fires when a signal ends the command. */
  readonly interrupted: AbortSignal;
}

/**
 * Runs a command against the running host, or else against a host of its own that opens no ports and ends with the command.
 * @param own further options of that host
 */
export async function withClient<T>(
  options: GlobalOptions,
  run: (client: Client, surroundings: Surroundings) => Promise<T>,
  own: Pick<HostOptions, 'passphrase' | 'makesWallet'> = {},
): Promise<T> {
  const running = await runningClient(options);
  if (running) return interruptible((interrupted) => run(running, { isOwnHost: false, interrupted }));
  // Loaded only here: a command that uses a running host takes half the time without it.
  const [{ createHost }, { createDirectClient }] = await Promise.all([
    import('../../host/host.ts'),
    import('../../console/client.ts'),
  ]);
  const host = await createHost({ ...hostOptions(options), ...own, scope: 'core' });
  const stop = (): Promise<void> => host.stop();
  try {
    return await interruptible(async (interrupted) => {
      await host.start();
      return run(createDirectClient(host.context), { isOwnHost: true, interrupted });
    }, stop);
  } finally {
    await stop();
  }
}

/** The text of a list, from that of each of its entries. */
export function joined<T>(textOf: (value: T) => string): (values: readonly T[]) => string {
  return (values) => values.map((value) => textOf(value)).join('\n');
}

/** Runs a command as {@link withClient} does, and prints what it gives. @param textOf what a person reads of it */
export async function printAnswer<T>(
  { globals, output }: Shell,
  run: (client: Client) => Promise<T>,
  textOf: (value: T) => string,
): Promise<void> {
  const value = await withClient(globals(), run);
  output().result(value, textOf(value));
}
