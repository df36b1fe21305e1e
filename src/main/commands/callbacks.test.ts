import { describe, expect, it } from 'vitest';
import type { CallbackNotice } from '../../contract/index.ts';
import { PullStream } from '../infrastructure/pull-stream.ts';
import { printCallbacks } from './callbacks.ts';

const notice = (txid: string, status: string): CallbackNotice => ({
  at: 1_700_000_000_000,
  minerId: 'a',
  miner: 'Alpha',
  kind: 'mapi',
  txid,
  status,
  block: null,
  conflicts: [],
  signature: 'valid',
});
const [one, other] = ['ab'.repeat(32), 'cd'.repeat(32)];

describe('planchet callbacks', () => {
  it('prints one JSON document a line, and ends the stream once it has enough', async () => {
    const notices = [notice(one, 'a'), notice(other, 'b'), notice(one, 'c'), notice(one, 'd')];
    let closed = false;
    const stream = new PullStream<CallbackNotice>({
      take: () => notices.shift(),
      onClose: () => {
        closed = true;
      },
    });
    const lines: string[] = [];
    await printCallbacks(stream, { txid: one, count: 2 }, (line) => lines.push(line));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { at: '2023-11-14T22:13:20.000Z', txid: one, status: 'a', miner: 'Alpha', signature: 'valid' },
      { txid: one, status: 'c' },
    ]);
    expect(closed).toBe(true);
    expect(notices).toHaveLength(1);
  });
});
