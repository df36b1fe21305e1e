import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { ArcTransaction } from '../arc/statuses.ts';
import { ArcadeEvents } from './events.ts';

const mined = (txid: string) =>
  ({ txid, status: 'MINED', blockHash: '', blockHeight: 1, changedAt: 5 }) as ArcTransaction;

it('goes on telling of states behind one whose path could not be made', async () => {
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
