/**
 * The merchant service with its tracker, and nothing else of the application, in a process of its own. It reads one line, a
 * {@link MerchantTask}; then for each further line, a {@link MerchantRound}, submits that many payments and answers with a
 * {@link MerchantResult}.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PrivateKey } from '@bsv/sdk';
import { pino } from 'pino';
import {
  encodeAddress,
  fromHex,
  hash160,
  isValidSignature,
  parseTx,
  satoshis,
  txidOf,
  type Utxo,
} from '../../src/chain/index.ts';
import { settingsSchema } from '../../src/contract/index.ts';
import { HeaderStore } from '../../src/main/chain-data/headers/header-store.ts';
import { createProofVerifier } from '../../src/main/chain-data/headers/proof-verifier.ts';
import { createNodeChainData } from '../../src/main/chain-data/node/node-chain-data.ts';
import { createNodeHeaders } from '../../src/main/chain-data/node/node-headers.ts';
import { systemClock } from '../../src/main/clock.ts';
import { createChainView } from '../../src/main/gateway/chain/create-chain-view.ts';
import { TipFollower } from '../../src/main/gateway/chain/tip-follower.ts';
import { NodeClient } from '../../src/main/gateway/upstream/client.ts';
import { keepMemorySmall } from '../../src/main/infrastructure/memory.ts';
import { createMerchant } from '../../src/main/merchant/create-merchant.ts';
import { type MerchantTables, merchantMigrations } from '../../src/main/merchant/protocols/mapi/tables.ts';
import type { Endpoints } from '../../src/main/ports/settings.ts';
import { openStore } from '../../src/main/store/store.ts';
import { MemoryWatch } from './memory-watch.ts';
import { keyScript, payment, split } from './payments.ts';

export interface MerchantTask {
  readonly endpoints: Endpoints;
  readonly apiKey: string;
}

export interface MerchantRound {
  readonly transactions: number;
  /** Waits for a block that holds them all, and for their proofs; otherwise stands by for so many milliseconds. */
  readonly idleMs?: number;
}

export interface MerchantResult {
  readonly seconds: number;
  /** The most that the process took, in megabytes. */
  readonly memory: number;
  /** Share of a core that the process took while it stood by. */
  readonly idleShare: number;
}

const OUTPUTS = 10_000;
const EACH = 400_000;

keepMemorySmall();
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { endpoints, apiKey } = JSON.parse((await lines.next()).value as string) as MerchantTask;
const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-merchant-'));
const settings = settingsSchema.parse({});
const view = { current: () => settings, onChange: () => () => {} };
const secrets = { locked: false, get: () => Buffer.from(apiKey), set: async () => {}, delete: async () => {} };
const common = {
  network: 'sandbox' as const,
  endpoints: () => endpoints,
  clock: systemClock,
  logger: pino({ level: 'silent' }),
  settings: view,
};
const node = new NodeClient({ ...common, apiKey: () => apiKey });
const tip = new TipFollower({ ...common, chain: createChainView({ ...common, node }) });
const headers = new HeaderStore({
  ...common,
  dataDir: folder,
  sources: (signal) => [createNodeHeaders({ node }, signal)],
  tip,
});
const merchant = await createMerchant({
  outbound: () => undefined,
  ...common,
  dataDir: folder,
  store: await openStore<MerchantTables>({ file: ':memory:', migrations: merchantMigrations }),
  secrets,
  redact: () => {},
  chainData: createNodeChainData(node, headers),
  headers,
  proofs: createProofVerifier(headers),
  tip,
  verifySignatures: async (signatures) => signatures.map(isValidSignature),
  approvals: { ask: () => Promise.resolve() },
  events: { publish: () => {} },
  notices: { add: () => {}, dismiss: () => {} },
});
tip.start();
merchant.follower.start();
const memory = new MemoryWatch();
const key = PrivateKey.fromHex('66'.repeat(32));
process.stdout.write('"ready"\n');

async function admin(path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${new URL(endpoints.baseUrl).origin}/admin${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { data: unknown }).data;
}

/** Coins of the key in a block. */
async function coins(count: number): Promise<Utxo[]> {
  const made: Utxo[] = [];
  const address = encodeAddress(hash160(Uint8Array.from(key.toPublicKey().toDER() as number[])), 'test');
  while (made.length < count) {
    const amount = OUTPUTS * EACH + 2_000_000;
    const { txid } = (await admin('/fund', { address, satoshis: amount })) as { txid: string };
    const raw = fromHex(await node.call<string>('getrawtransaction', [txid, false]));
    const vout = parseTx(raw).outputs.findIndex((output) => output.satoshis === amount);
    const parts = split({ txid, vout, satoshis: satoshis(amount), lockingScript: keyScript(key) }, OUTPUTS, EACH, key);
    const [result] = await merchant.submitter.submit([{ rawTx: parts.raw, origin: 'manual' }]);
    if (result?.error) throw result.error;
    await admin('/mine', { blocks: 1 });
    made.push(...parts.coins);
  }
  return made.slice(0, count);
}

/** Resolves once all of them are in a state. */
function all(wanted: ReadonlySet<string>, state: 'seen' | 'proven'): Promise<void> {
  const left = new Set(wanted);
  return new Promise((resolve) => {
    const stop = merchant.tracker.onChange(({ txid, transaction }) => {
      if (transaction.state === state) left.delete(txid);
      if (left.size > 0) return;
      stop();
      resolve();
    });
  });
}

for await (const line of { [Symbol.asyncIterator]: () => lines }) {
  const { transactions, idleMs } = JSON.parse(line) as MerchantRound;
  const raws = (await coins(transactions)).map((coin) => payment(coin, key));
  const reached = all(new Set(raws.map(txidOf)), idleMs === undefined ? 'proven' : 'seen');
  const started = performance.now();
  const results = await merchant.submitter.submit(raws.map((rawTx) => ({ rawTx, origin: 'manual' as const })));
  const refused = results.find(({ error }) => error !== undefined);
  if (refused) throw refused.error;
  if (idleMs === undefined) await admin('/mine', { blocks: 1 });
  await reached;
  const seconds = (performance.now() - started) / 1_000;
  const before = process.cpuUsage();
  if (idleMs !== undefined) await new Promise((resolve) => setTimeout(resolve, idleMs));
  const { user, system } = process.cpuUsage(before);
  const idleShare = idleMs === undefined ? 0 : (user + system) / 1_000 / idleMs;
  const result: MerchantResult = { seconds, memory: memory.highest, idleShare };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
rmSync(folder, { recursive: true, force: true });
process.exit(0);
