import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Network } from '../../../contract/index.ts';
import { sameSecret } from '../../local-server.ts';
import type { SecretStore } from '../../ports/secrets.ts';

const SEED_BYTES = 32;
const ID_BYTES = 16;
/** The bytes before the 32 of an X25519 key in its PKCS #8 form (RFC 8410). */
const X25519_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex');
/** `<random>.<id of the miner>.<period>`: base64url, base64url, decimal. */
const PATH = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{1,128})\.(\d{1,6})$/;
/**
 * A path says in which period it was issued, and its token ends with the next one: after 30 to 60 days. A transaction leaves the mempools
 * after 14. Within a period, a submission that is repeated has the same path.
 */
const PERIOD_MS = 30 * 86_400_000;

/** What a miner is given with a submission. */
export interface IssuedCallback {
  /** Last segment of the callback's path. */
  readonly path: string;
  readonly token: string;
}

interface Keys {
  readonly tokens: KeyObject;
  readonly box: { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array };
}

/**
 * Paths and tokens of callbacks, and the key that opens encrypted ones. A path is random, or for a merchant API a MAC over what is submitted,
 * since that refuses a repetition with another address. Its token is a MAC over it, so that nothing has to be stored for a submission and a
 * restart forgets none. All derive from one secret in the vault.
 */
export class CallbackKeys {
  readonly #keys: Keys;

  private constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Reads the secret, or makes it at the first use. @throws PlanchetError `vault-locked` */
  static async open(secrets: SecretStore, network: Network): Promise<CallbackKeys> {
    const name = `callbackKey:${network}` as const;
    let seed = secrets.get(name);
    if (seed === undefined) {
      seed = randomBytes(SEED_BYTES);
      await secrets.set(name, seed);
    }
    return CallbackKeys.of(seed);
  }

  /** @param seed 32 random bytes */
  static of(seed: Uint8Array): CallbackKeys {
    return new CallbackKeys({
      // as bytes it would be converted for each token
      tokens: createSecretKey(derive(seed, 'tokens of callbacks')),
      box: keyPairOf(derive(seed, 'sealed box of callbacks')),
    });
  }

  /** Value of mAPI's `callbackEncryption`. */
  get encryption(): string {
    return `libsodium sealed_box ${Buffer.from(this.#keys.box.publicKey).toString('base64')}`;
  }

  /**
   * @param now milliseconds since 1970
   * @param about what the callback is for: the same gets the same path in one period. A random one if this is left out.
   */
  issue(minerId: string, now: number, about?: readonly string[]): IssuedCallback {
    const id = about === undefined ? randomBytes(ID_BYTES) : this.#idOf(minerId, about);
    const path = `${id.toString('base64url')}.${Buffer.from(minerId).toString('base64url')}.${periodOf(now)}`;
    return { path, token: this.#tokenOf(path) };
  }

  /**
   * Checks a token against its path in a time that does not depend on the token.
   * @param path last segment of the request's path
   * @param authorization header of the request; ARC puts `Bearer` before the token
   * @param now milliseconds since 1970
   * @returns the id of the miner it was issued to; undefined for a token that was never issued, or has expired
   */
  minerOf(path: string, authorization: string | undefined, now: number): string | undefined {
    const [, , minerId, period] = PATH.exec(path) ?? [];
    const given = (authorization ?? '').replace(/^Bearer +/i, '').trim();
    if (!sameSecret(given, this.#tokenOf(path)) || minerId === undefined) return undefined;
    if (Number(period) < periodOf(now) - 1) return undefined;
    return Buffer.from(minerId, 'base64url').toString('utf8');
  }

  /** Opens a sealed box. @returns undefined for one that was changed or made for another key */
  async unseal(sealed: Uint8Array): Promise<Uint8Array | undefined> {
    const { box } = this.#keys;
    // Loaded when the first sealed box comes: its WebAssembly takes 16 MB.
    const { default: sodium } = await import('libsodium-wrappers');
    await sodium.ready;
    if (sealed.length < sodium.crypto_box_SEALBYTES) return undefined;
    try {
      return sodium.crypto_box_seal_open(sealed, box.publicKey, box.privateKey);
    } catch {
      return undefined;
    }
  }

  /** No path begins with this word and a line end, so no id is also the token of a path. */
  #idOf(minerId: string, about: readonly string[]): Buffer {
    const text = ['path', minerId, ...about].join('\n');
    return createHmac('sha256', this.#keys.tokens).update(text).digest().subarray(0, ID_BYTES);
  }

  #tokenOf(path: string): string {
    return createHmac('sha256', this.#keys.tokens).update(path).digest('base64url');
  }
}

function periodOf(now: number): number {
  return Math.floor(now / PERIOD_MS);
}

function derive(seed: Uint8Array, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, new Uint8Array(0), use, SEED_BYTES));
}

/** The pair that libsodium's `crypto_box_seed_keypair` makes of a seed. */
function keyPairOf(seed: Uint8Array): Keys['box'] {
  const privateKey = createHash('sha512').update(seed).digest().subarray(0, 32);
  const key = createPrivateKey({ key: Buffer.concat([X25519_HEAD, privateKey]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { publicKey: Buffer.from(x, 'base64url'), privateKey };
}
