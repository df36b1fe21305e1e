import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settingsSchema } from '../../contract/index.ts';
import { createProofVerifier } from '../chain-data/headers/proof-verifier.ts';
import { createNodeChainData } from '../chain-data/node/node-chain-data.ts';
import { HeaderList } from '../chain-data/test-support/header-list.ts';
import { openStore } from '../store/store.ts';
import { StillClock } from '../test-support/still-clock.ts';
import { createMerchant } from './create-merchant.ts';
import { type MerchantTables, merchantMigrations } from './protocols/mapi/tables.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-merchant-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the merchant systems', () => {
  it('close their own database where the miners cannot be opened', async () => {
    const store = await openStore<MerchantTables>({ file: join(folder, 'app.db'), migrations: merchantMigrations });
    // What the keys of the miners are read from is gone.
    await store.close();
    const settings = settingsSchema.parse({});
    const opening = createMerchant({
      outbound: () => undefined,
      network: 'sandbox',
      dataDir: folder,
      store,
      settings: { current: () => settings, onChange: () => () => undefined },
      secrets: { locked: false, get: () => undefined, set: async () => undefined, delete: async () => undefined },
      redact: () => undefined,
      endpoints: () => ({
        bitcoinRpcUrl: '',
        bitcoinZmqUrl: '',
        baseUrl: '',
        quotaUrl: '',
        mapiUrl: 'http://127.0.0.1:1',
        consoleBaseUrl: '',
      }),
      chainData: createNodeChainData({ call: () => Promise.reject(new Error('nobody asks')) }),
      headers: new HeaderList(),
      proofs: createProofVerifier(new HeaderList()),
      tip: { current: () => null, onTip: () => () => undefined },
      verifySignatures: () => Promise.reject(new Error('nothing is signed')),
      approvals: { ask: () => Promise.reject(new Error('nobody is asked')) },
      events: { publish: () => undefined },
      notices: { add: () => undefined, dismiss: () => undefined },
      clock: new StillClock(0),
      logger: pino({ level: 'silent' }),
    });
    await expect(opening).rejects.toThrow();
    expect(existsSync(join(folder, 'transactions.db'))).toBe(true);
    // SQLite keeps its log for as long as somebody has the database open.
    expect(existsSync(join(folder, 'transactions.db-wal'))).toBe(false);
  });
});
