/**
 * Runs the README's first command as a new user does and mints a sample with the command line, then stops it with Ctrl-C. Prints the time of
 * each part; any difference from the README is an error.
 */
import { strict as assert } from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseInscription } from '../src/chain/index.ts';
import { root } from './paths.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'planchet-smoke-'));
const sample = 'resources/samples/copper-moon.png';
const STOP_LIMIT_MS = 5_000;

const timed = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  const result = await run();
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
};

const planchet = (...args: string[]): string =>
  execFileSync('npm', ['run', '--silent', 'planchet', '--', '--data-dir', dataDir, ...args], {
    cwd: root,
    encoding: 'utf8',
  });

// A process group of its own, so that Ctrl-C reaches npm and everything below it, as a terminal would send it.
const started = spawn('npm', ['start', '--', '--data-dir', dataDir], {
  cwd: root,
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const welcome = await timed('npm start, until ready', async () => {
    let text = '';
    for await (const chunk of started.stdout) {
      text += chunk;
      if (text.includes('Press Ctrl-C to stop.')) break;
    }
    return text;
  });
  console.log(welcome);
  for (const label of ['Open', 'Node RPC', 'Node ZMQ', 'Data writer'])
    assert.ok(welcome.includes(label), `the terminal names: ${label}`);

  const minted = await timed('mint one file until mined', async () =>
    JSON.parse(planchet('mint', join(root, sample), '--wait', 'mined', '--json')),
  );
  console.log(minted);
  const bytes = readFileSync(join(root, sample));
  const tx = JSON.parse(planchet('rpc', 'getrawtransaction', minted.txid, 'true', '--json'));
  const inscription = parseInscription(Buffer.from(tx.vout[0].scriptPubKey.hex, 'hex'));
  assert.equal(tx.vout[0].value, 0.00000001);
  assert.equal(sha256(inscription?.content ?? new Uint8Array()), sha256(bytes));
  assert.equal(inscription?.contentType, 'image/png');
  assert.equal(minted.bytes, bytes.length);

  await timed('Ctrl-C, until stopped', async () => {
    const stopped = new Promise<void>((resolve) => started.once('exit', () => resolve()));
    const before = performance.now();
    process.kill(-(started.pid as number), 'SIGINT');
    await stopped;
    assert.ok(performance.now() - before < STOP_LIMIT_MS, 'stopped in time');
  });
  console.log('The README holds: a file became a mined token.');
} finally {
  if (started.exitCode === null && started.signalCode === null) process.kill(-(started.pid as number), 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
