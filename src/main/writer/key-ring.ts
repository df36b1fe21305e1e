import { randomBytes } from 'node:crypto';
import secp256k1 from 'secp256k1';
import { z } from 'zod';
import { encodeAddress, sha256, toHex } from '../../chain/index.ts';
import { type Network, PlanchetError } from '../../contract/index.ts';
import type { Clock, Logger, SecretName, SecretStore } from '../ports.ts';
import { SigningKey } from './data-transaction.ts';
import { keyIdOf } from './document.ts';
import type { FundingService } from './funding-service.ts';
import type { WriterTables, WriteState } from './tables.ts';
import type { WriterStore } from './writer-store.ts';

/** How long what is known of keys may be old: another process may have registered or revoked one. */
const FRESH_MS = 1_000;
const LABEL_LETTERS = 12;
/** Until a document is proven it may have to be handed to the service again, which asks for the API key. */
const unfinished: readonly WriteState[] = ['accepted', 'funded', 'signed', 'submitted', 'seen', 'mined'];

const signerSchema = z.object({
  apiKey: z.string().min(1),
  privateKey: z.string().regex(/^[0-9a-f]{64}$/),
  /** Whether the service knows the public key. */
  registered: z.boolean(),
});
type Signer = z.infer<typeof signerSchema>;

export type KeyRow = WriterTables['writer_keys'];

export interface KeyRingOptions {
  store: WriterStore;
  network: Network;
  secrets: SecretStore;
  clock: Clock;
  logger: Logger;
  /** Where public keys are registered; undefined where the wallet pays and no service is named. */
  service: () => FundingService | undefined;
}

/** The API keys that may write, and the signing key each has in the vault. */
export class KeyRing {
  readonly #options: KeyRingOptions;
  #rows = new Map<string, KeyRow>();
  #own: string | undefined;
  /** The network's own key as it was read last: a request does not hash it again. */
  #ownText: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #signers = new Map<string, { apiKey: string; key: SigningKey }>();

  constructor(options: KeyRingOptions) {
    this.#options = options;
  }

  /**
   * Whether a key may write: one that was registered here, or the network's own.
   * @returns its name, undefined where it is unknown or revoked
   * @throws PlanchetError `vault-locked`
   */
  async check(apiKey: string): Promise<string | undefined> {
    if (this.#options.clock.now() - this.#readAt >= FRESH_MS) await this.#read();
    return this.#nameOf(apiKey);
  }

  /**
   * As {@link check}, of what the database need not be asked for.
   * @returns undefined also where it would have to be
   * @throws PlanchetError `vault-locked`
   */
  known(apiKey: string): string | undefined {
    return this.#options.clock.now() - this.#readAt < FRESH_MS ? this.#nameOf(apiKey) : undefined;
  }

  /** As {@link check}, of a key by its name. @throws PlanchetError `vault-locked` */
  async mayWrite(keyId: string): Promise<boolean> {
    if (this.#options.clock.now() - this.#readAt >= FRESH_MS) await this.#read();
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
    return [...new Set([...this.#rows.keys(), ...(this.#own === undefined ? [] : [this.#own])])];
  }

  /**
   * Makes a signing key for an API key and has the service register its public key (wire reference 4.1). The key is in the vault before
   * it is sent, so that no answer can be lost together with it.
   * @throws PlanchetError `conflict` for a key that is registered, `unauthorized` for one the service does not know, `upstream-*`
   */
  async register(apiKey: string): Promise<KeyRow> {
    const { network, secrets, store, clock, service } = this.#options;
    if (!/^[\x21-\x7e]{4,256}$/.test(apiKey)) {
      throw new PlanchetError('invalid-input', 'This is not an API key: it holds 4 to 256 visible characters.', {
        hint: 'Copy the key from the service that issued it.',
      });
    }
    await this.#read();
    const keyId = keyIdOf(network, apiKey);
    if (this.#rows.get(keyId)?.revoked_at === null) {
      throw new PlanchetError('conflict', 'apikey has already been registered', {
        hint: 'It can be used as it is.',
      });
    }
    const kept = this.#readSigner(keyId);
    const signer = kept ?? { apiKey, privateKey: toHex(newPrivateKey()), registered: false };
    await this.#keepSigner(keyId, signer);
    const key = new SigningKey(Uint8Array.from(Buffer.from(signer.privateKey, 'hex')));
    const signature = key.signDigest(sha256(new TextEncoder().encode(apiKey)));
    try {
      await service()?.register(apiKey, toHex(key.publicKey), toHex(signature));
    } catch (error) {
      const refused = error instanceof PlanchetError && (error.code === 'unauthorized' || error.code === 'conflict');
      // One kept from before may be the very key the service has: it is not given away for a word.
      if (refused && kept === undefined) await secrets.delete(signerName(network, keyId));
      throw error;
    }
    await this.#keepSigner(keyId, { ...signer, registered: true });
    const row: KeyRow = {
      network,
      key_id: keyId,
      label: labelOf(apiKey),
      public_key: toHex(key.publicKey),
      address: encodeAddress(key.pubKeyHash, network === 'main' ? 'main' : 'test'),
      created_at: clock.now(),
      revoked_at: null,
    };
    const { network: _network, key_id: _id, ...changes } = row;
    await store.db
      .insertInto('writer_keys')
      .values(row)
      .onConflict((conflict) => conflict.column('key_id').doUpdateSet(changes))
      .execute();
    await this.#read();
    return row;
  }

  /**
   * The key may write no more. Its signing key stays in the vault until no document waits for it (see {@link forgetRevoked}).
   * @throws PlanchetError `not-found`
   */
  async revoke(keyId: string): Promise<void> {
    const { store, network, clock } = this.#options;
    await this.#read();
    const row = this.#rows.get(keyId);
    if (row === undefined || row.revoked_at !== null) {
      throw new PlanchetError('not-found', 'No such key is registered.', { hint: 'Look at the list of keys.' });
    }
    await store.db
      .updateTable('writer_keys')
      .set({ revoked_at: clock.now() })
      .where('key_id', '=', keyId)
      .where('network', '=', network)
      .execute();
    await this.#forgetSigner(keyId);
    await this.#read();
  }

  /** Takes the signing keys of revoked API keys out of the vault, as far as no document waits for them. @throws PlanchetError `vault-locked` */
  async forgetRevoked(): Promise<void> {
    await this.#read();
    for (const { key_id, revoked_at } of this.#rows.values()) if (revoked_at !== null) await this.#forgetSigner(key_id);
  }

  /**
   * What signs for an API key.
   * @throws PlanchetError `api-key-missing` where it was not registered here, `vault-locked`
   */
  signer(keyId: string): { apiKey: string; key: SigningKey } {
    const known = this.#signers.get(keyId);
    if (known !== undefined) return known;
    const signer = this.#readSigner(keyId);
    if (signer === undefined) {
      throw new PlanchetError('api-key-missing', 'This API key has no signing key here.', {
        hint: 'Register it: planchet register -',
      });
    }
    const loaded = {
      apiKey: signer.apiKey,
      key: new SigningKey(Uint8Array.from(Buffer.from(signer.privateKey, 'hex'))),
    };
    this.#signers.set(keyId, loaded);
    return loaded;
  }

  async #read(): Promise<void> {
    const { store, network, clock } = this.#options;
    const rows = await store.db.selectFrom('writer_keys').selectAll().where('network', '=', network).execute();
    this.#rows = new Map(rows.map((row) => [row.key_id, row]));
    this.#readOwn();
    this.#readAt = clock.now();
  }

  #readOwn(): void {
    const { secrets, network } = this.#options;
    const own = secrets.get(`apiKey:${network}`);
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
    throw new PlanchetError('vault-damaged', 'A signing key in the vault cannot be read.', {
      hint: 'It may have been written by a newer Planchet: start that one.',
    });
  }

  async #forgetSigner(keyId: string): Promise<void> {
    const { store, network, secrets } = this.#options;
    const name = signerName(network, keyId);
    if (secrets.get(name) === undefined) return;
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
  }

  async #keepSigner(keyId: string, signer: Signer): Promise<void> {
    await this.#options.secrets.set(signerName(this.#options.network, keyId), Buffer.from(JSON.stringify(signer)));
    this.#signers.delete(keyId);
  }
}

function signerName(network: Network, keyId: string): SecretName {
  return `signer:${network}:${keyId}`;
}

function newPrivateKey(): Uint8Array {
  for (;;) {
    const key = Uint8Array.from(randomBytes(32));
    if (secp256k1.privateKeyVerify(key)) return key;
  }
}

/** Enough to tell keys apart, too little to use one. */
function labelOf(apiKey: string): string {
  return `${apiKey.slice(0, Math.min(LABEL_LETTERS, Math.floor(apiKey.length / 2)))}…`;
}
