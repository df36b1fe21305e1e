import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { ArcTransaction } from '../arc/statuses.ts';
import { ArcadeEvents } from './events.ts';

const mined = (txid: string) =>
  ({ txid, status: 'MINED', blockHash: '', blockHeight: 1, changedAt: 5 }) as ArcTransaction;

it('the event stream of Arcade continues after a status whose Merkle path could not be built', async () => {
  const logged: string[] = [];
  const written: string[] = [];
  const stream = { writeHead: () => undefined, write: (text: string) => written.push(text), once: () => undefined };
  const events = new ArcadeEvents(
    async ({ txid }) => {
      if (txid === 'a') throw new Error('the block is gone');
      return 'path';
    },
    pino({}, { write: (line: string) => void logged.push(line) }),
    { take: () => undefined },
  );
  events.open(stream as unknown as ServerResponse, 'token', '');
  events.expect(['a', 'b'], 'token');
  events.expect(['c'], '');
  events.tell([mined('a'), mined('b'), mined('c')]);
  await expect.poll(() => written).toHaveLength(2);
  expect(written[1]).toContain('"txid":"b","txStatus":"MINED"');
  expect(logged.join()).toContain('the block is gone');
});

it('the event stream of Arcade starts with the current status of each transaction, or with what a returning client missed', async () => {
  const events = new ArcadeEvents(async () => 'path', pino({ level: 'silent' }), { take: () => undefined });
  const seen = (txid: string) => ({ ...mined(txid), status: 'SEEN_ON_NETWORK' }) as ArcTransaction;
  const opened = (lastId: string): string[] => {
    const written: string[] = [];
    const stream = { writeHead: () => undefined, write: (text: string) => written.push(text), once: () => undefined };
    events.open(stream as unknown as ServerResponse, 'token', lastId);
    return written;
  };
  const listening = opened('');
  events.expect(['a', 'b'], 'token');
  events.expect(['c'], 'other');
  events.tell([seen('a'), seen('b'), seen('c'), mined('a')]);
  await expect.poll(() => listening).toHaveLength(4);
  const states = (written: readonly string[]) =>
    written.slice(1).map((text) => /"txid":"(.)","txStatus":"(\w+)"/.exec(text)?.slice(1).join(' '));
  expect(states(listening)).toEqual(['a SEEN_ON_NETWORK', 'b SEEN_ON_NETWORK', 'a MINED']);
  expect(states(opened('')).sort()).toEqual(['a MINED', 'b SEEN_ON_NETWORK']);
  const [, first = ''] = listening;
  expect(states(opened(/id: (\d+)/.exec(first)?.[1] ?? ''))).toEqual(['b SEEN_ON_NETWORK', 'a MINED']);
});
