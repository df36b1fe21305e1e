import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settingsSchema } from '../../contract/index.ts';
import { systemClock } from '../clock.ts';
import type { MinerEndpoint } from '../ports/merchant/miners.ts';
import { ArcEndpoint } from './protocols/arc/arc-endpoint.ts';
import { minersOf, serviceMerchant } from './test-support/miners.ts';

const txid = 'ab'.repeat(32);
const settings = { current: () => settingsSchema.parse({}) };

/** What the miner answers next. */
let reply: { status: number; json: object };
let server: FastifyInstance;
let arc: ArcEndpoint;
beforeEach(async () => {
  server = Fastify({ forceCloseConnections: true });
  server.all('/*', async (_, answer) => answer.code(reply.status).send(reply.json));
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  arc = new ArcEndpoint({
    miner: { id: 'arc', name: 'Arc', kind: 'arc' },
    url: () => url,
    apiKey: () => undefined,
    clock: systemClock,
  });
});
afterEach(() => server.close());

describe('the status of a transaction', () => {
  it.each(['double spend: another was mined', 'evicted: mempool full'])(
    'is not known where ARC rejected it: %s',
    async (extraInfo) => {
      reply = { status: 200, json: { txid, txStatus: 'REJECTED', extraInfo } };
      const merchant = serviceMerchant(minersOf(arc), settings);
      expect(await merchant.status(txid)).toEqual({ known: false, reason: extraInfo });
    },
  );

  it.each([400, 422, 460, 461, 465, 469])(
    'is no refusal of the transaction where the request for it fails: %i',
    async (status) => {
      reply = { status, json: { status, title: 'Bad request', detail: 'in detail', extraInfo: 'why' } };
      const merchant = serviceMerchant(minersOf(arc), settings);
      await expect(merchant.status(txid)).rejects.toMatchObject({
        code: 'upstream-error',
        message: `The miner answered with HTTP ${status}: why.`,
      });
    },
  );
});

describe('the terms of the miners in use', () => {
  const silent = (quote: MinerEndpoint['quote']) => ({ id: 'b', name: 'B', kind: 'arc', quote }) as MinerEndpoint;

  it('are those of the miners that tell them, without one that fails or does not answer in time', async () => {
    reply = { status: 200, json: { policy: { miningFee: { satoshis: 1, bytes: 1_000 }, maxtxsizepolicy: 9 } } };
    await arc.quote();
    const refusing = silent(() => Promise.reject(new Error('no')));
    const merchant = serviceMerchant(
      minersOf(
        refusing,
        silent(() => new Promise(() => undefined)),
        arc,
      ),
      settings,
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const asking = merchant.terms();
      await vi.advanceTimersByTimeAsync(3_000);
      expect(await asking).toMatchObject([{ name: 'Arc', policy: { maxTxBytes: 9 } }]);
    } finally {
      vi.useRealTimers();
    }
  });
});
