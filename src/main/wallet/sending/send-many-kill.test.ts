import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodeAddress, formatOutpoint, fromHex, p2pkhScript, parseTx, toHex, txidOf } from '../../../chain/index.ts';
import { sentTokens, type TokenMove, type WalletSend } from '../../../contract/index.ts';

const CHILD = join(import.meta.dirname, '..', 'test-support', 'send-many-kill-child.ts');
/** Every point is the last one once in the long form; a run that is not killed any more has passed all of them. */
const ALL = Array.from({ length: 40 }, (_, n) => n + 1);
const POINTS = process.env.PLANCHET_LONG ? ALL : [];

/** After a restart: the first call, the second of three that are dropped, what is sent later. */
const PAUSED_POINTS = process.env.PLANCHET_LONG
  ? { send: ALL.slice(0, 20), drop: ALL.slice(0, 20) }
  : { send: [2], drop: [] };

interface Ended {
  readonly signal: string | null;
  readonly code: number | null;
  readonly err: string;
}

function sends(folder: string, points: number, plan: 'send' | 'pause' | 'drop' = 'send'): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CHILD, folder, String(points), plan], (_, _out, err) =>
      resolve({ signal: child.signalCode, code: child.exitCode, err }),
    );
  });
}

/** Where each token went, as whoever took the transactions has it: the outpoint, and the scripts of what spends it. */
function sentBy(folder: string): Map<string, string[]> {
  const raw = new Set(readFileSync(join(folder, 'kept.txt'), 'utf8').trim().split('\n'));
  const sent = new Map<string, string[]>();
  for (const hex of raw) {
    const tx = parseTx(fromHex(hex));
    for (const [index, input] of tx.inputs.entries()) {
      const outpoint = formatOutpoint(input);
      const script = toHex(tx.outputs[index]?.script ?? new Uint8Array());
      sent.set(outpoint, [...(sent.get(outpoint) ?? []), `${txidOf(tx)} ${script} ${tx.outputs[index]?.satoshis}`]);
    }
  }
  return sent;
}

/** Each token is with its receiver, by one transaction. */
function expectEachOnce(folder: string): void {
  const sent = sentBy(folder);
  const moves = JSON.parse(readFileSync(join(folder, 'moves.json'), 'utf8')) as TokenMove[];
  expect(moves).toHaveLength(6);
  for (const { outpoint, address } of moves) {
    const script = toHex(p2pkhScript(decodeAddress(address).pubKeyHash));
    expect(sent.get(outpoint), outpoint).toEqual([expect.stringMatching(`^[0-9a-f]{64} ${script} 1$`)]);
  }
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-send-many-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each(POINTS)(
  'many tokens, killed at point %i and started again, go once to their address',
  async (points) => {
    const killed = await sends(folder, points);
    if (!process.env.PLANCHET_LONG) expect(killed.signal, killed.err).toBe('SIGKILL');
    const { code, err } = await sends(folder, 0);
    expect(code, err).toBe(0);
    expectEachOnce(folder);
  },
  60_000,
);

const ways = (['send', 'drop'] as const).flatMap((plan) =>
  PAUSED_POINTS[plan].map((points) => [plan, points] as const),
);
it.each(ways)(
  'many tokens, paused after a transaction and started again, %s the rest, killed at point %i, once each',
  async (plan, points) => {
    const { code, err } = await sends(folder, 0, 'pause');
    expect(code, err).toBe(0);
    const ended = JSON.parse(readFileSync(join(folder, 'ended.json'), 'utf8')) as WalletSend;
    expect(ended).toMatchObject({ state: 'reviewed', awaitingApproval: true, canCancel: true, canPause: false });
    expect(sentTokens(ended).filter(({ txid }) => txid !== null)).toHaveLength(2);
    expect(sentBy(folder).size).toBe(3);
    const killed = await sends(folder, points, plan);
    if (!process.env.PLANCHET_LONG) expect(killed.signal, killed.err).toBe('SIGKILL');
    const again = await sends(folder, 0, plan);
    expect(again.code, again.err).toBe(0);
    expectEachOnce(folder);
  },
  60_000,
);
