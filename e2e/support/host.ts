import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createHttpClient } from '../../src/main/console/http-client.ts';
import { lockOwner } from '../../src/main/infrastructure/data-folder.ts';

const sources = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url));

/** The variable with the path of the folder made by `template.ts`. */
export const TEMPLATE = 'PLANCHET_E2E_TEMPLATE';

/** The variable with the path of the built program, whose start takes a third less work than that of its sources. */
export const PROGRAM = 'PLANCHET_E2E_PROGRAM';

/** The program to start: its sources if a test runs without a build. */
export const program = (): string => process.env[PROGRAM] ?? sources;

/** The line that `serve --json` prints once everything is listening. */
interface Ready {
  ready: boolean;
  /** Null if nothing could be started. */
  network: string;
  rpc: string;
  zmq: string;
  console: string;
  writer: string;
  mapi: string;
  baseUrl: string;
  sandbox: string | null;
  dataDir: string;
  rpcUsername: string;
  rpcCookieFile: string;
  consoleToken: string;
  sandboxApiKey: string;
}

export interface RunningHost {
  readonly ready: Ready;
  readonly process: ChildProcess;
  /** A new address with a one-time token, as printed by `planchet open`. */
  login(): Promise<string>;
  /** The host's procedures, as the command line calls them. */
  client(): ReturnType<typeof createHttpClient>;
  stop(): Promise<void>;
}

/** Settings for several hosts on one machine: the system chooses every port. */
export const freePorts: Readonly<Record<string, string>> = {
  consoleAddress: '127.0.0.1:0',
  rpcBind: '127.0.0.1:0',
  zmqAddress: 'tcp://127.0.0.1:0',
  writerBind: '127.0.0.1:0',
  'sandbox.bind': '127.0.0.1:0',
  'sandbox.zmqAddress': 'tcp://127.0.0.1:0',
  // The question of the first start would replace every view.
  welcomed: 'true',
};

/** Starts the real application in its own process, with its own data folder unless one is given. */
export async function startHost(
  options: {
    dataDir?: string;
    /** Whether the new data folder contains the first blocks of its sandbox and the wallet's money, as after a first start. */
    filled?: boolean;
    /** Replaces the settings with free ports; undefined leaves a key to the settings file. */
    set?: Record<string, string | undefined>;
    /** In addition to the variables of this process. */
    env?: Record<string, string>;
    /** Flags of Node. */
    nodeFlags?: string[];
  } = {},
): Promise<RunningHost> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'planchet-e2e-'));
  if (options.filled) cpSync(process.env[TEMPLATE] as string, dataDir, { recursive: true });
  const settings = Object.entries({ ...freePorts, ...options.set }).flatMap(([key, value]) =>
    value === undefined ? [] : ['--set', `${key}=${value}`],
  );
  const child = spawn(
    process.execPath,
    [...(options.nodeFlags ?? []), program(), 'serve', '--json', '--data-dir', dataDir, ...settings],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  let stopping = false;
  child.once('exit', (code, signal) => {
    if (!stopping) process.stderr.write(`The host ended by itself (${code ?? signal}):\n${errors}\n`);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = await new Promise<Ready>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      const told = JSON.parse(line) as Ready;
      // Otherwise the process is about to exit, with its reason.
      if (told.network !== null) resolve(told);
    });
    child.once('close', (code) => reject(new Error(`serve exited with ${code}: ${errors}`)));
  });
  const cleanUp = (): void => {
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  const client = (): ReturnType<typeof createHttpClient> => {
    const owner = lockOwner(dataDir);
    if (!owner) throw new Error('the host does not run');
    return createHttpClient({ url: ready.console, bearer: owner.token });
  };
  return {
    ready,
    process: child,
    client,
    login: async () => (await client().app.createLink()).url,
    stop: async () => {
      stopping = true;
      child.kill('SIGTERM');
      await exited;
      cleanUp();
    },
  };
}
