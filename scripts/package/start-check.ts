import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createHttpClient } from '../../src/main/console/http-client.ts';
import { lockOwner } from '../../src/main/infrastructure/data-folder.ts';
import { walletFollows } from '../../src/main/test-support/hosts/wallet-follows.ts';

/** A host starts from nothing in a second or two, on a loaded machine much slower. */
const START_LIMIT_MS = 120_000;

const freePorts = {
  consoleAddress: '127.0.0.1:0',
  rpcBind: '127.0.0.1:0',
  zmqAddress: 'tcp://127.0.0.1:0',
  writerBind: '127.0.0.1:0',
  'sandbox.bind': '127.0.0.1:0',
  'sandbox.zmqAddress': 'tcp://127.0.0.1:0',
};

export interface Started {
  /** Addresses that answered HTTP 200. */
  readonly answered: readonly string[];
  /** Transaction of the picture that was minted. */
  readonly txid: string;
  /** Wall time until everything listened. */
  readonly startMs: number;
}

/**
 * Starts the host of a packed application under plain Node and mints a picture, to check that every module it loads is packed:
 * the database, the image library, the signatures and ZMQ are native. The folder must be outside the repository, since missing modules
 * would be found above it.
 * @param app folder of the packed application
 * @param picture a file to mint
 * @param node program to run it with
 * @throws AssertionError with the host's output, if anything does not start or reply
 */
export async function startFrom(app: string, picture: string, node = process.execPath): Promise<Started> {
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-packed-'));
  const cli = join(app, 'out', 'main', 'cli.js');
  const options = { cwd: dataDir, env: plainEnvironment() };
  const settings = Object.entries(freePorts).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const started = performance.now();
  const host = spawn(node, [cli, 'serve', '--strict', '--json', '--data-dir', dataDir, ...settings], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  host.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const ended = new Promise<void>((resolve) => host.once('close', () => resolve()));
  try {
    const ready = await readyLine(host).catch((error) => assert.fail(`${error.message}\n${complaints}`));
    const startMs = performance.now() - started;
    assert.deepEqual(ready.problems, [], 'every service started');
    const answered: string[] = [];
    for (const url of [
      `${ready.console}/healthz`,
      `${ready.console}/readyz`,
      `${ready.rpc}/healthz`,
      `${ready.writer}/health`,
      `${ready.console}/`,
      `${ready.console}/docs/`,
    ]) {
      const response = await fetch(url);
      assert.equal(response.status, 200, `${url} answers`);
      answered.push(new URL(url).pathname);
    }
    const client = createHttpClient({ url: ready.console, bearer: lockOwner(dataDir)?.token ?? '' });
    await walletFollows(client);
    const { stdout } = await promisify(execFile)(
      node,
      [cli, '--data-dir', dataDir, 'mint', picture, '--wait', 'mined', '--json'],
      options,
    );
    const { txid } = JSON.parse(stdout) as { txid: string };
    assert.match(txid, /^[0-9a-f]{64}$/);
    // Made by a process with an entry point of its own.
    const sha256 = createHash('sha256').update(readFileSync(picture)).digest('hex');
    assert.equal((await client.files.thumbnail({ sha256 }))?.type, 'image/webp', 'a thumbnail is made');
    return { answered, txid, startMs };
  } finally {
    host.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Ready {
  readonly problems: readonly unknown[];
  readonly console: string;
  readonly rpc: string;
  readonly writer: string;
}

async function readyLine(host: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<Ready> {
  const limit = setTimeout(() => host.kill('SIGKILL'), START_LIMIT_MS);
  try {
    for await (const line of createInterface({ input: host.stdout })) return JSON.parse(line) as Ready;
    throw new Error('The host ended before it was ready.');
  } finally {
    clearTimeout(limit);
  }
}

/** Without variables that would let Node find modules or options of this repository. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const unwanted = /^(?:NODE_|PLANCHET_|npm_|VITEST)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !unwanted.test(name)));
}
