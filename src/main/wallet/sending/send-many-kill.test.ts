import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { decodeAddress, formatOutpoint, fromHex, p2pkhScript, parseTx, toHex, txidOf } from '../../../chain/index.ts';
import type { TokenMove } from '../../../contract/index.ts';

const CHILD = join(import.meta.dirname, '..', 'test-support', 'send-many-kill-child.ts');
/** Every point is the last one once in the long form; a run that is not killed any more has passed all of them. */
const POINTS = process.env.PLANCHET_LONG ? Array.from({ length: 40 }, (_, n) => n + 1) : [3, 7, 10, 13];

interface Ended {
  readonly signal: string | null;
  readonly code: number | null;
  readonly err: string;
}

function sends(folder: string, points: number): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CHILD, folder, String(points)], (_, _out, err) =>
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

it.each(POINTS)(
  'many tokens, killed at point %i and started again, go once to their address',
  async (points) => {
    const folder = mkdtempSync(join(tmpdir(), 'planchet-send-many-kill-'));
    try {
      const killed = await sends(folder, points);
      if (!process.env.PLANCHET_LONG) expect(killed.signal, killed.err).toBe('SIGKILL');
      const { code, err } = await sends(folder, 0);
      expect(code, err).toBe(0);
      const sent = sentBy(folder);
      const moves = JSON.parse(readFileSync(join(folder, 'moves.json'), 'utf8')) as TokenMove[];
      expect(moves).toHaveLength(6);
      for (const { outpoint, address } of moves) {
        const script = toHex(p2pkhScript(decodeAddress(address).pubKeyHash));
        expect(sent.get(outpoint), outpoint).toEqual([expect.stringMatching(`^[0-9a-f]{64} ${script} 1$`)]);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
