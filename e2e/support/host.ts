import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createHttpClient } from '../../src/main/console/http-client.ts';
import { lockOwner } from '../../src/main/infrastructure/data-folder.ts';

const sources = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url));

/** The variable that names the folder made by `template.ts`. */
export const TEMPLATE = 'PLANCHET_E2E_TEMPLATE';

/** The variable that names the built program, which starts with two thirds of the work of its sources. */
export const PROGRAM = 'PLANCHET_E2E_PROGRAM';

/** The program to start: its sources where a test runs without a build. */
export const program = (): string => process.env[PROGRAM] ?? sources;

/** The line `serve --json` prints once everything listens. */
interface Ready {
  ready: boolean;
  /** Null where nothing could be started. */
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
  /** A fresh address with a one-time token, as `planchet open` prints it. */
  login(): Promise<string>;
  /** The host's procedures, as the command line calls them. */
  client(): ReturnType<typeof createHttpClient>;
  stop(): Promise<void>;
}

/** Settings that let several hosts run side by side: every port is chosen by the system. */
export const freePorts: Readonly<Record<string, string>> = {
  consoleAddress: '127.0.0.1:0',
  rpcBind: '127.0.0.1:0',
  zmqAddress: 'tcp://127.0.0.1:0',
  writerBind: '127.0.0.1:0',
  'sandbox.bind': '127.0.0.1:0',
  'sandbox.zmqAddress': 'tcp://127.0.0.1:0',
  // The question of the first start would stand before every view.
  welcomed: 'true',
};

/** Starts the real application in a process of its own, on a data folder of its own unless one is given. */
export async function startHost(
  options: {
    dataDir?: string;
    /** Whether the new data folder has the first blocks of its sandbox, and its wallet their money, as after a first start. */
    filled?: boolean;
    /** In place of those of the free ports; undefined leaves a key to the settings file. */
    set?: Record<string, string | undefined>;
    /** Beside the variables of this process. */
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
      // Otherwise the process is about to end, with its reason.
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
