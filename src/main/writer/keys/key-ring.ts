import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import secp256k1 from 'secp256k1';
import { z } from 'zod';
import { addressNetwork, encodeAddress, sha256, toHex } from '../../../chain/index.ts';
import { type ErrorCode, type Network, PlanchetError, writerStates } from '../../../contract/index.ts';
import { isOver } from '../../async/left-until.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretName, SecretStore } from '../../ports/secrets.ts';
import { SigningKey } from '../sending/data-transaction.ts';
import { keyIdOf } from '../storage/document.ts';
import type { WriterStore } from '../storage/store.ts';
import type { WriterTables, WriteState } from '../storage/tables.ts';
import type { SeedKeys } from './seed-keys.ts';

/** How long what is known of keys may be old: another process may have registered or revoked one. */
const FRESH_MS = 1_000;
const LABEL_LETTERS = 12;
/** Until a document is proven it may have to be handed to the service again, which asks for the API key. */
const unfinished: readonly WriteState[] = writerStates.names.filter((state) => !writerStates.is(state, 'final'));

const signerSchema = z.object({
  apiKey: z.string().min(1),
  privateKey: z.string().regex(/^[0-9a-f]{64}$/),
  /** Whether the service knows the public key. */
  registered: z.boolean(),
});
type Signer = z.infer<typeof signerSchema>;

export type KeyRow = WriterTables['writer_keys'];

/** Signs for an API key, and tells the service which one it is. */
interface LoadedSigner {
  readonly apiKey: string;
  readonly key: SigningKey;
}

/** The API keys this machine can sign for. */
export interface Signable {
  readonly keyIds: readonly string[];
  /** Why there may be more of them, such as a locked vault. */
  readonly problem?: PlanchetError;
}

/** Why a key cannot be signed for; other errors are not about the key. */
const UNSIGNABLE: ReadonlySet<ErrorCode> = new Set(['api-key-missing', 'vault-locked', 'vault-damaged']);

/** The service that learns the public key of an API key. */
interface KeyRegistry {
  /** @param signature DER hex over the SHA-256 of the API key's text. @throws PlanchetError `unauthorized`, `conflict`, `upstream-*` */
  register(apiKey: string, publicKey: string, signature: string): Promise<void>;
}

export interface KeyRingOptions {
  store: WriterStore;
  network: Network;
  secrets: SecretStore;
  /** What machines with the same wallet have in common. */
  seedKeys: SeedKeys;
  clock: Clock;
  logger: Logger;
  /** Where public keys are registered; undefined where the wallet pays and no service is named. */
  service: () => KeyRegistry | undefined;
}

/**
 * The API keys that may write, and the signing key of each. Where this machine has a wallet, the signing key follows from its seed, and
 * the API key stands sealed in the database: whoever shares the database and the wallet can sign too, without registering. The vault
 * keeps the keys that were registered here.
 */
export class KeyRing {
  readonly #options: KeyRingOptions;
  #rows = new Map<string, KeyRow>();
  #own: string | undefined;
  /** The network's own key as it was read last: a request does not hash it again. */
  #ownText: string | undefined;
  /** The vault's revision when the network's own key was read. */
  #ownRevision: number | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #signers = new Map<string, LoadedSigner>();
  /** By the name of an API key: its signing key is made, noted and forgotten one after the other. */
  readonly #turns = new Map<string, Sequencer>();

  constructor(options: KeyRingOptions) {
    this.#options = options;
  }

  /**
   * Whether a key may write: one that was registered here, or the network's own.
   * @returns its name, undefined where it is unknown or revoked
   * @throws PlanchetError `vault-locked`
   */
  async check(apiKey: string): Promise<string | undefined> {
    if (isOver(FRESH_MS, this.#readAt, this.#options.clock.now())) await this.#read();
    return this.#nameOf(apiKey);
  }

  /**
   * As {@link check}, of what the database need not be asked for.
   * @returns undefined also where it would have to be
   * @throws PlanchetError `vault-locked`
   */
  known(apiKey: string): string | undefined {
    return isOver(FRESH_MS, this.#readAt, this.#options.clock.now()) ? undefined : this.#nameOf(apiKey);
  }

  /** As {@link check}, of a key by its name. @throws PlanchetError `vault-locked` */
  async mayWrite(keyId: string): Promise<boolean> {
    if (isOver(FRESH_MS, this.#readAt, this.#options.clock.now())) await this.#read();
    this.#readOwn();
    return this.#isValid(keyId);
  }

  #nameOf(apiKey: string): string | undefined {
    this.#readOwn();
    const id = keyIdOf(this.#options.network, apiKey);
    return this.#isValid(id) ? id : undefined;
  }

  #isValid(keyId: string): boolean {
    const row = this.#rows.get(keyId);
    return row === undefined ? keyId === this.#own : row.revoked_at === null;
  }

  async list(): Promise<KeyRow[]> {
    await this.#read();
    return [...this.#rows.values()].sort((a, b) => a.created_at - b.created_at);
  }

  /** Names of the keys that may write: the network's own first, then those registered, the oldest first. */
  async valid(): Promise<string[]> {
    const registered = (await this.list()).map(({ key_id }) => key_id);
    const names = new Set([...(this.#own === undefined ? [] : [this.#own]), ...registered]);
    return [...names].filter((keyId) => this.#isValid(keyId));
  }

  /** Names of all keys documents may belong to, also of revoked ones. */
  async ids(): Promise<string[]> {
    await this.#read();
    return this.#ids();
  }

  #ids(): string[] {
    return [...new Set([...this.#rows.keys(), ...(this.#own === undefined ? [] : [this.#own])])];
  }

  /**
   * Makes the signing key of an API key and has the service register its public key (wire reference 4.1). The key is in the vault before
   * it is sent, so that no answer can be lost together with it. Where another machine with the same wallet registered the API key, there
   * is nothing left to send.
   * @throws PlanchetError `conflict` for a key that this machine has registered, or that has another signing key elsewhere, `unauthorized`
   * for one the service does not know, `upstream-*`, `vault-locked`
   */
  async register(apiKey: string): Promise<KeyRow> {
    if (!/^[\x21-\x7e]{4,256}$/.test(apiKey)) throw new PlanchetError('writer.api-key-malformed');
    const keyId = keyIdOf(this.#options.network, apiKey);
    return this.#inTurn(keyId, () => this.#register(keyId, apiKey));
  }

  #inTurn<T>(keyId: string, job: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(keyId) ?? new Sequencer();
    this.#turns.set(keyId, turns);
    return turns.run(job);
  }

  async #register(keyId: string, apiKey: string): Promise<KeyRow> {
    const { network, secrets, seedKeys, clock, service } = this.#options;
    await this.#read();
    const known = this.#rows.get(keyId);
    if (known?.revoked_at === null) return this.#registerHereToo(known, apiKey);
    const kept = this.#readSigner(keyId);
    const signer = kept ?? this.#seedSigner(keyId, apiKey) ?? newSigner(apiKey);
    await this.#keepSigner(keyId, signer);
    const { key } = load(signer);
    const signature = key.signDigest(sha256(new TextEncoder().encode(apiKey)));
    try {
      await service()?.register(apiKey, toHex(key.publicKey), toHex(signature));
    } catch (error) {
      const refused = error instanceof PlanchetError && (error.code === 'unauthorized' || error.code === 'conflict');
      // A key that was kept from before may be the one that the service has, so a refusal does not delete it.
      if (refused && kept === undefined) await secrets.delete(signerName(network, keyId));
      throw error;
    }
    await this.#keepSigner(keyId, { ...signer, registered: true });
    const fromSeed = signer.privateKey === this.#seedSigner(keyId, apiKey)?.privateKey;
    return this.#insert({
      network,
      key_id: keyId,
      label: labelOf(apiKey),
      public_key: toHex(key.publicKey),
      address: encodeAddress(key.pubKeyHash, addressNetwork(network)),
      created_at: clock.now(),
      revoked_at: null,
      sealed_api_key: fromSeed ? seedKeys.seal(keyId, apiKey) : null,
    });
  }

  /** Notes a registered key. @throws PlanchetError `conflict` where another machine registered it meanwhile with another signing key */
  async #insert(row: KeyRow): Promise<KeyRow> {
    const { network: _network, key_id, ...changes } = row;
    await this.#options.store.db
      .insertInto('writer_keys')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('key_id').doUpdateSet(changes).where('writer_keys.revoked_at', 'is not', null),
      )
      .execute();
    await this.#read();
    const noted = this.#rows.get(key_id);
    if (noted === undefined || noted.public_key === row.public_key) return row;
    throw this.#registeredElsewhere(noted);
  }

  /** A key that is registered already, perhaps by another machine: this one notes it if it has the same signing key. */
  async #registerHereToo(row: KeyRow, apiKey: string): Promise<KeyRow> {
    const kept = this.#readSigner(row.key_id);
    if (kept?.registered === true && signsFor(row, kept)) throw new PlanchetError('writer.api-key-registered');
    const signer = [kept, this.#seedSigner(row.key_id, apiKey)].find((one) => one !== undefined && signsFor(row, one));
    if (signer === undefined) throw this.#registeredElsewhere(row);
    await this.#keepSigner(row.key_id, { ...signer, registered: true });
    return row;
  }

  #registeredElsewhere({ key_id, sealed_api_key }: KeyRow): PlanchetError {
    const withoutWallet = this.#options.seedKeys.signingKey(key_id) === undefined;
    if (sealed_api_key === null) return new PlanchetError('writer.signing-key-on-other-machine');
    return new PlanchetError(withoutWallet ? 'writer.signing-key-needs-wallet' : 'writer.signing-key-of-other-wallet');
  }

  /**
   * The key may write no more. Its signing key stays in the vault until no document waits for it (see {@link forgetRevoked}).
   * @throws PlanchetError `not-found`
   */
  revoke(keyId: string): Promise<void> {
    return this.#inTurn(keyId, () => this.#revoke(keyId));
  }

  async #revoke(keyId: string): Promise<void> {
    const { store, network, clock } = this.#options;
    await this.#read();
    const row = this.#rows.get(keyId);
    if (row === undefined || row.revoked_at !== null) throw new PlanchetError('writer.api-key-unknown');
    await store.db
      .updateTable('writer_keys')
      .set({ revoked_at: clock.now() })
      .where('key_id', '=', keyId)
      .where('network', '=', network)
      .execute();
    // From here on nothing more is accepted for it that would need the signing key.
    await this.#read();
    await this.#forgetSigner(keyId);
    await this.#read();
  }

  /** Takes the signing keys of revoked API keys out of the vault, as far as no document waits for them. @throws PlanchetError `vault-locked` */
  async forgetRevoked(): Promise<void> {
    await this.#read();
    for (const keyId of [...this.#rows.keys()]) await this.#inTurn(keyId, () => this.#forgetSigner(keyId));
  }

  /**
   * What signs for an API key.
   * @throws PlanchetError `api-key-missing` where no key here is the registered one, `vault-locked`
   */
  signer(keyId: string): LoadedSigner {
    const row = this.#rows.get(keyId);
    const cached = this.#signers.get(keyId);
    if (cached !== undefined && isKeyOf(row, cached.key)) return cached;
    const kept = this.#readSigner(keyId);
    const signer = kept !== undefined && signsFor(row, kept) ? kept : this.#sharedSigner(row);
    if (signer === undefined) throw new PlanchetError('writer.signing-key-missing');
    const loaded = load(signer);
    this.#signers.set(keyId, loaded);
    return loaded;
  }

  /** The API keys this machine can sign for, also revoked ones that documents may still wait for. */
  async signable(): Promise<Signable> {
    let problem: PlanchetError | undefined;
    const skip = (error: unknown): void => {
      if (!(error instanceof PlanchetError) || !UNSIGNABLE.has(error.code)) throw error;
      if (error.code !== 'api-key-missing') problem ??= error;
    };
    if (isOver(FRESH_MS, this.#readAt, this.#options.clock.now())) await this.#read().catch(skip);
    const keyIds = this.#ids().filter((keyId) => {
      try {
        return this.signer(keyId) !== undefined;
      } catch (error) {
        skip(error);
        return false;
      }
    });
    return { keyIds, ...(problem === undefined ? {} : { problem }) };
  }

  /** The key of a row that a machine with the same wallet registered. */
  #sharedSigner(row: KeyRow | undefined): Signer | undefined {
    if (row === undefined || row.sealed_api_key === null) return undefined;
    const apiKey = this.#options.seedKeys.open(row.key_id, row.sealed_api_key);
    const signer = apiKey === undefined ? undefined : this.#seedSigner(row.key_id, apiKey);
    return signer !== undefined && signsFor(row, signer) ? signer : undefined;
  }

  #seedSigner(keyId: string, apiKey: string): Signer | undefined {
    const key = this.#options.seedKeys.signingKey(keyId);
    return key === undefined ? undefined : { apiKey, privateKey: toHex(key), registered: false };
  }

  async #read(): Promise<void> {
    const { store, network, clock } = this.#options;
    const rows = await store.db.selectFrom('writer_keys').selectAll().where('network', '=', network).execute();
    this.#rows = new Map(rows.map((row) => [row.key_id, row]));
    this.#readOwn();
    this.#readAt = clock.now();
  }

  /** Unsealing the key for each request would take a third of the time that accepting a document takes. */
  #readOwn(): void {
    const { secrets, network } = this.#options;
    const { revision } = secrets;
    if (revision !== undefined && revision === this.#ownRevision) return;
    const own = secrets.get(`apiKey:${network}`);
    this.#ownRevision = revision;
    const text = own === undefined ? undefined : Buffer.from(own).toString('utf8').trim();
    if (text === this.#ownText) return;
    this.#ownText = text;
    this.#own = text === undefined ? undefined : keyIdOf(network, text);
  }

  #readSigner(keyId: string): Signer | undefined {
    const bytes = this.#options.secrets.get(signerName(this.#options.network, keyId));
    if (bytes === undefined) return undefined;
    const signer = signerSchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    if (signer.success) return signer.data;
    throw new PlanchetError('writer.signing-key-unreadable');
  }

  async #forgetSigner(keyId: string): Promise<void> {
    const { store, network, secrets } = this.#options;
    const name = signerName(network, keyId);
    const { revoked_at = null, sealed_api_key: sealed = null } = this.#rows.get(keyId) ?? {};
    if (revoked_at === null) return;
    if (secrets.get(name) === undefined && sealed === null) return;
    const waiting = await store.db
      .selectFrom('writer_documents')
      .select('id')
      .where('key_id', '=', keyId)
      .where('state', 'in', unfinished)
      .limit(1)
      .executeTakeFirst();
    if (waiting !== undefined) return;
    await secrets.delete(name);
    this.#signers.delete(keyId);
    await store.db
      .updateTable('writer_keys')
      .set({ sealed_api_key: null })
      .where('key_id', '=', keyId)
      .where('revoked_at', 'is not', null)
      .execute();
  }

  async #keepSigner(keyId: string, signer: Signer): Promise<void> {
    await this.#options.secrets.set(signerName(this.#options.network, keyId), Buffer.from(JSON.stringify(signer)));
    this.#signers.delete(keyId);
  }
}

function signerName(network: Network, keyId: string): SecretName {
  return `signer:${network}:${keyId}`;
}

function load({ apiKey, privateKey }: Signer): LoadedSigner {
  return { apiKey, key: new SigningKey(Uint8Array.from(Buffer.from(privateKey, 'hex'))) };
}

/** Whether a signing key is the one that was registered; where nothing is noted of the API key, any is. */
function isKeyOf(row: KeyRow | undefined, key: SigningKey): boolean {
  return row === undefined || toHex(key.publicKey) === row.public_key;
}

function signsFor(row: KeyRow | undefined, signer: Signer): boolean {
  return isKeyOf(row, load(signer).key);
}

/** A signing key for a machine without a wallet: no other machine can have it. */
function newSigner(apiKey: string): Signer {
  for (;;) {
    const key = Uint8Array.from(randomBytes(32));
    if (secp256k1.privateKeyVerify(key)) return { apiKey, privateKey: toHex(key), registered: false };
  }
}

/** Enough to tell keys apart, too little to use one. */
function labelOf(apiKey: string): string {
  return `${apiKey.slice(0, Math.min(LABEL_LETTERS, Math.floor(apiKey.length / 2)))}…`;
}
