import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTx, toHex } from '../../chain/index.ts';
import { settingsSchema } from '../../contract/index.ts';
import type { Clock } from '../ports.ts';
import { type PostgresServer, startPostgres } from './test-support/postgres.ts';
import { poolKey, World } from './test-support/world.ts';
import { WriterService } from './writer.ts';

const KEY = 'testnet_0123456789abcdef';
const clock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

let server: PostgresServer | undefined;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(async () => server?.stop());

function open(world: World, databaseUrl: string, dataDir: string): WriterService {
  const settings = settingsSchema.parse({ writerBind: ':0', databaseUrl });
  const secrets = new Map<string, Uint8Array>([['apiKey:sandbox', Buffer.from(KEY)]]);
  return new WriterService({
    network: 'sandbox',
    settings: { current: () => settings, onChange: () => () => {} },
    dataDir,
    wallet: world.wallet,
    poolKey: () => poolKey.slice(),
    merchant: world.merchant,
    node: world.node,
    tips: { current: () => null, onTip: () => () => {} },
    endpoints: () => ({ baseUrl: '', consoleBaseUrl: '', mapiUrl: '', bitcoinRpcUrl: '', bitcoinZmqUrl: '' }),
    secrets: {
      locked: false,
      get: (name) => secrets.get(name),
      set: async (name, value) => void secrets.set(name, value),
      delete: async (name) => void secrets.delete(name),
    },
    events: { publish: () => {} },
    clock,
    logger: pino({ level: 'silent' }),
  });
}

describe('the queue in PostgreSQL', () => {
  it('is shared by two writers, which write each document once', async ({ skip }) => {
    if (server === undefined) return skip('no PostgreSQL programs are on this machine');
    const databaseUrl = await server.createDatabase();
    const dataDir = mkdtempSync(join(tmpdir(), 'planchet-writer-pg-'));
    const world = new World(1_000_000, 1_000_000);
    const writers = [open(world, databaseUrl, dataDir), open(world, databaseUrl, dataDir)];
    const addresses: string[] = [];
    for (const writer of writers) addresses.push((await writer.start()).address ?? '');
    const sent = Array.from({ length: 60 }, (_, n) => `{"n":${n}}`);
    const replies = await Promise.all(
      sent.map((body, n) =>
        fetch(`${addresses[n % 2]}/api/v1/write?wait=accepted`, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body,
        }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(sent.map(() => 202));
    const view = writers[0]?.view;
    await expect.poll(async () => (await view?.status())?.states.seen, { timeout: 15_000 }).toBe(60);
    world.mine();
    await expect.poll(async () => (await view?.status())?.states.proven, { timeout: 15_000 }).toBe(60);
    const scripts = world
      .everything()
      .flatMap((rawTx) => parseTx(rawTx).outputs)
      .flatMap(({ satoshis, script }) => (satoshis === 0 ? [toHex(script)] : []));
    expect(scripts).toHaveLength(60);
    expect(new Set(scripts).size).toBe(60);
    for (const writer of writers) await writer.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);
});
