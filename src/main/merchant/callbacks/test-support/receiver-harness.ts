import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import { pino } from 'pino';
import { satoshis, serializeTx, signEnvelope, type Tx, txidOf } from '../../../../chain/index.ts';
import { type Settings, settingsSchema, type TransactionEvent } from '../../../../contract/index.ts';
import { createProofVerifier } from '../../../chain-data/headers/proof-verifier.ts';
import { HeaderList } from '../../../chain-data/test-support/header-list.ts';
import { systemClock } from '../../../clock.ts';
import type { MinerEndpoint } from '../../../ports/merchant/miners.ts';
import type { SecretName, SecretStore } from '../../../ports/secrets.ts';
import { openStore, type SqliteStore } from '../../../store/store.ts';
import { createWorkerPool } from '../../../workers/worker-pool.ts';
import { takeCallbacks } from '../../tracking/reported-proofs.ts';
import { type TrackingTables, trackingMigrations } from '../../tracking/storage/tables.ts';
import { TransactionStore } from '../../tracking/storage/transaction-store.ts';
import { Tracker } from '../../tracking/tracker.ts';
import { Callbacks } from '../callbacks.ts';

/** Signs the messages of the merchant API. */
export const MINER_KEY = PrivateKey.fromHex('77'.repeat(32));
// the SDK takes milliseconds to derive it
const MINER_ID = MINER_KEY.toPublicKey().toString();
const notAsked = (): Promise<never> => Promise.reject(new Error('not asked'));
const endpointOf = (id: string, kind: 'mapi' | 'arc'): MinerEndpoint => ({
  id,
  name: id,
  kind,
  quote: notAsked,
  submit: notAsked,
  status: notAsked,
});
/** Two miners, by the API each speaks. */
export const miners = { mapi: endpointOf('merchant', 'mapi'), arc: endpointOf('arc', 'arc') };

/** The vault of a test; it can be locked. */
export class TestSecrets implements SecretStore {
  locked = false;
  readonly values: Map<SecretName, Uint8Array>;

  constructor(values: [SecretName, Uint8Array][] = []) {
    this.values = new Map(values);
  }

  get(name: SecretName): Uint8Array | undefined {
    if (this.locked) throw new Error('locked');
    return this.values.get(name);
  }

  async set(name: SecretName, value: Uint8Array): Promise<void> {
    if (this.locked) throw new Error('locked');
    this.values.set(name, value);
  }

  async delete(name: SecretName): Promise<void> {
    this.values.delete(name);
  }
}

export interface ReceiverOptions {
  /** A temporary one that is removed at the end, if left out. */
  folder?: string;
  network?: 'sandbox' | 'private' | 'test' | 'main';
  settings?: Partial<Settings>;
  secrets?: TestSecrets;
}

/** A callback receiver with a tracker behind it, without a host. */
export class ReceiverHarness {
  readonly folder: string;
  readonly callbacks: Callbacks;
  readonly tracker: Tracker;
  readonly transactions: TransactionStore;
  /** The active chain. */
  readonly headers = new HeaderList();
  readonly secrets: TestSecrets;
  address: string | undefined;
  readonly #store: SqliteStore<TrackingTables>;
  readonly #ownsFolder: boolean;
  readonly #workers = createWorkerPool();

  static async open(options: ReceiverOptions = {}): Promise<ReceiverHarness> {
    const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'planchet-callbacks-'));
    const store = await openStore<TrackingTables>({
      file: join(folder, 'transactions.db'),
      migrations: trackingMigrations,
      synchronous: 'full',
    });
    const harness = new ReceiverHarness(options, folder, store);
    harness.address = (await harness.callbacks.start()).address;
    return harness;
  }

  private constructor(options: ReceiverOptions, folder: string, store: SqliteStore<TrackingTables>) {
    const logger = pino({ level: 'silent' });
    const settings = settingsSchema.parse(options.settings ?? {});
    this.folder = folder;
    this.#ownsFolder = options.folder === undefined;
    this.#store = store;
    this.secrets = options.secrets ?? new TestSecrets();
    this.transactions = new TransactionStore({ store, clock: systemClock, tipHeight: () => null });
    this.tracker = new Tracker({ transactions: this.transactions, clock: systemClock, logger });
    this.callbacks = new Callbacks({
      network: options.network ?? 'sandbox',
      dataDir: folder,
      settings: { current: () => settings, onChange: () => () => undefined },
      secrets: this.secrets,
      miners: { get: (id) => Object.values(miners).find((miner) => miner.id === id) },
      verifySignatures: (signatures) => this.#workers.verifySignatures(signatures),
      trusts: (_, publicKey) => publicKey === MINER_ID,
      answered: (miner, verdicts, sent) =>
        takeCallbacks({ tracker: this.tracker, proofs: createProofVerifier(this.headers) }, miner, verdicts, sent),
      isRecorded: (txid, minerId, raw) => this.transactions.hasCallback(txid, minerId, raw),
      clock: systemClock,
      logger,
    });
  }

  /** Tracks a transaction as if it had been submitted. */
  async track(rawTx: Uint8Array): Promise<string> {
    await this.tracker.track([{ rawTx, origin: 'manual' }]);
    return txidOf(rawTx);
  }

  /** Lines that callbacks left in the history of a transaction. */
  async told(txid: string): Promise<TransactionEvent[]> {
    const { events } = await this.transactions.get({ txid });
    return events.filter(({ answer }) => answer?.request === 'callback');
  }

  /** What a miner is asked for. */
  expected(kind: 'mapi' | 'arc'): { url: string; token: string; encryption?: string } {
    const { callback } = this.callbacks.expect(miners[kind]);
    if (callback === undefined) throw new Error('nothing is expected');
    return callback;
  }

  async close(): Promise<void> {
    await this.callbacks.stop();
    await this.#workers.close();
    await this.#store.close();
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A transaction that nobody signed. @param n tells it from others */
export function anyTx(n: number, input = `${'11'.repeat(32)}_0`): Uint8Array {
  const [txid = '', vout] = input.split('_');
  const tx: Tx = {
    version: 1,
    inputs: [{ txid, vout: Number(vout), script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(1_000 + n), script: Uint8Array.of(0x51) }],
    lockTime: 0,
  };
  return serializeTx(tx);
}

/** A message of a merchant API about a transaction that is mined. */
export function proofMessage(txid: string): Record<string, unknown> {
  const payload = { index: 0, txOrId: txid, targetType: 'header', target: '00'.repeat(80), nodes: [] };
  return message(txid, 'merkleProof', payload, { blockHash: 'cd'.repeat(32), blockHeight: 5 });
}

/** @param payload text in older versions, an object in newer ones; either way here */
export function message(
  txid: string,
  callbackReason: string,
  payload: unknown,
  block: { blockHash: string; blockHeight: number } = { blockHash: '', blockHeight: -1 },
): Record<string, unknown> {
  return {
    callbackPayload: payload,
    apiVersion: '1.4.0',
    timestamp: '2026-01-01T00:00:00.0000000Z',
    minerId: MINER_ID,
    ...block,
    callbackTxId: txid,
    callbackReason,
  };
}

/** The message in a signed envelope. */
export function enveloped(content: Record<string, unknown>, key: PrivateKey | null = MINER_KEY): string {
  return JSON.stringify(signEnvelope(JSON.stringify(content), key ?? undefined), null, 2);
}

/** A status of ARC. */
export function status(txid: string, txStatus: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const block = { blockHash: 'cd'.repeat(32), blockHeight: 5 };
  const empty = { extraInfo: '', competingTxs: null, merklePath: '' };
  return { timestamp: '2026-01-01T00:00:00Z', txid, txStatus, ...empty, ...block, ...more };
}

/** Sends a callback. @param inPieces without its length. @returns the status of the answer */
export async function post(
  { url, token }: { url: string; token: string },
  body: string | Uint8Array,
  headers: Record<string, string> = {},
  inPieces = false,
): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', ...headers },
    body: (inPieces ? new Blob([body as BlobPart]).stream() : body) as BodyInit,
    ...(inPieces && { duplex: 'half' as const }),
  });
  await answer.arrayBuffer();
  return answer.status;
}
