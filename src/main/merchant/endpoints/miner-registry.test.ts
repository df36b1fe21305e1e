import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewMiner } from '../../../contract/index.ts';
import { openStore, type SqliteStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { EndpointStore } from './endpoint-store.ts';
import { MinerHistory } from './miner-history.ts';
import { type EndpointConfig, MinerRegistry } from './miner-registry.ts';
import { type EndpointTables, endpointMigrations } from './tables.ts';

const clock = new StillClock(0);
const old: NewMiner = {
  name: 'Near',
  kind: 'arc',
  url: 'https://old.example',
  enabled: true,
  keyStyle: 'bearer',
  apiKey: 'old key',
  pinnedKey: null,
};
const changed = { url: 'https://new.example', apiKey: 'new key' };

let store: SqliteStore<EndpointTables>;
let keys: Map<string, string>;
/** The key that cannot be written. */
let unwritable: string | undefined;
/** The key that was written each time, and the address on disk by then. */
let written: [key: string, url: string | undefined][];
/** What each client was made with. */
let configs: EndpointConfig[];
let registry: MinerRegistry;
let id: string;

beforeEach(async () => {
  store = await openStore<EndpointTables>({ file: ':memory:', migrations: endpointMigrations });
  [keys, unwritable, configs] = [new Map(), undefined, []];
  registry = await MinerRegistry.open({
    network: 'main',
    store: new EndpointStore({ store, clock }),
    history: new MinerHistory({ store, clock, failed: () => undefined }),
    builtIn: [],
    create: (config) => {
      configs.push(config);
      return { ...config } as never;
    },
    secrets: {
      get: (of) => (keys.has(of) ? Buffer.from(keys.get(of) as string) : undefined),
      set: async (of, apiKey) => {
        written.push([apiKey, await urlOnDisk()]);
        if (apiKey === unwritable) throw new Error('the vault cannot be written');
        if (apiKey === '') keys.delete(of);
        else keys.set(of, apiKey);
      },
    },
    keyOf: () => undefined,
    clock,
  });
  written = [];
  ({ id } = await registry.add(old));
  written = [];
});
afterEach(() => store.close());

const urlOnDisk = async (): Promise<string | undefined> =>
  (await store.db.selectFrom('miner_endpoints').select('url').executeTakeFirst())?.url;
const refuse = (write: string) =>
  sql`create trigger full before ${sql.raw(write)} on miner_endpoints begin select raise(abort, 'full'); end`.execute(
    store.db,
  );
const accept = () => sql`drop trigger full`.execute(store.db);
const keyOf = (config: EndpointConfig | undefined) => Buffer.from(config?.apiKey() ?? []).toString();

describe('the API key of a miner that was added', () => {
  it('is never stored beside an address that it was not entered for', async () => {
    await registry.update({ id, ...changed });
    expect(written).toEqual([
      ['', old.url],
      ['new key', changed.url],
    ]);
  });

  it('is replaced at once where it alone is changed, so that it is not lost where the new one cannot be written', async () => {
    await registry.update({ id, apiKey: 'new key' });
    expect(written).toEqual([['new key', old.url]]);
    unwritable = 'newer key';
    await expect(registry.update({ id, apiKey: unwritable })).rejects.toThrow('written');
    expect(written).toHaveLength(2);
    expect(keys.get(id)).toBe('new key');
    await registry.update({ id, apiKey: '' });
    expect(await registry.list()).toMatchObject([{ hasKey: false }]);
  });

  it('does not reach the address before, where requests to it go on', async () => {
    await registry.update({ id, ...changed });
    expect(configs.map((config) => [config.url(), keyOf(config)])).toEqual([
      [old.url, ''],
      [changed.url, 'new key'],
    ]);
    await registry.remove({ id });
    await registry.restore({ id });
    expect(keyOf(configs[0])).toBe('');
  });

  it.each(['row', 'key'])('and the address stay what they were where the %s cannot be written', async (what) => {
    if (what === 'row') await refuse('update');
    else unwritable = changed.apiKey;
    await expect(registry.update({ id, ...changed })).rejects.toThrow(/full|written/);
    expect(await urlOnDisk()).toBe(old.url);
    expect(await registry.list()).toMatchObject([{ url: old.url, hasKey: true }]);
    expect(keyOf(configs[0])).toBe('old key');
  });

  it('stays where its miner cannot be removed', async () => {
    await refuse('delete');
    await expect(registry.remove({ id })).rejects.toThrow('full');
    expect(await registry.list()).toMatchObject([{ hasKey: true }]);
    await accept();
    await registry.remove({ id });
    expect(keys.size).toBe(0);
  });

  it.each(['row', 'key'])('comes back with its miner at the next try where the %s cannot be written', async (what) => {
    await registry.remove({ id });
    if (what === 'row') await refuse('insert');
    else unwritable = old.apiKey;
    await expect(registry.restore({ id })).rejects.toThrow(/full|written/);
    expect([keys.size, await urlOnDisk()]).toEqual([0, undefined]);
    if (what === 'row') await accept();
    unwritable = undefined;
    expect(await registry.restore({ id })).toMatchObject({ url: old.url, hasKey: true });
  });
});
