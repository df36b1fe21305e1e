import { createHash, randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PlanchetError } from '../../../contract/index.ts';
import { sameSecret } from '../../local-server.ts';
import type { ApiKeyStore, Client } from './api-key-store.ts';

const COOKIE_USER = '__cookie__';
/** Most accepted Authorization headers to remember. */
const MAX_ACCEPTED = 1_000;

/**
 * Authenticates clients: by the user name and password of the settings, and like a full node by the file `.cookie` in the data folder,
 * whose password is new at each start.
 */
export class Authenticator {
  readonly #file: string;
  readonly #cookie = `${COOKIE_USER}:${randomBytes(32).toString('hex')}`;
  readonly #user: string;
  readonly #clients: { user: Client; cookie: Client };
  readonly #keyStore: ApiKeyStore | undefined;
  /** By digest of the header, so that the time of a lookup reveals nothing. */
  readonly #accepted = new Map<string, Client>();

  /**
   * @param password an empty one is never accepted
   * @param keyStore the named keys
   */
  constructor(dataDir: string, username: string, password: string, keyStore: ApiKeyStore | undefined) {
    this.#keyStore = keyStore;
    this.#clients = { user: unlimited(username), cookie: unlimited('cookie') };
    this.#file = join(dataDir, '.cookie');
    this.#user = password === '' ? this.#cookie : `${username}:${password}`;
  }

  /**
   * Writes the cookie file, readable by its owner only.
   * @throws PlanchetError `store-failed`
   */
  async publish(): Promise<void> {
    const draft = `${this.#file}.new`;
    try {
      await rm(draft, { force: true });
      await writeFile(draft, this.#cookie, { mode: 0o600, flag: 'wx' });
      await rename(draft, this.#file);
    } catch (error) {
      const values = { file: this.#file, reason: (error as Error).message };
      throw new PlanchetError('gateway.cookie-unwritable', values, { cause: error });
    }
  }

  /** Removes the cookie file, unless another process has replaced it. */
  async withdraw(): Promise<void> {
    const written = await readFile(this.#file, 'utf8').catch(() => undefined);
    if (written === this.#cookie) await rm(this.#file, { force: true });
  }

  /**
   * The client of a request; undefined if the credential is wrong.
   * @param header value of `Authorization`: `Basic` as for a node, or `Bearer <key id>.<secret>`
   */
  identify(header: string): Client | undefined {
    const digest = createHash('sha256').update(header).digest('base64');
    const known = this.#accepted.get(digest);
    if (known?.stillValid()) return known;
    this.#accepted.delete(digest);
    const client = this.#compare(header);
    if (client === undefined) return undefined;
    if (this.#accepted.size >= MAX_ACCEPTED) this.#accepted.clear();
    this.#accepted.set(digest, client);
    return client;
  }

  #compare(header: string): Client | undefined {
    const bearer = /^Bearer ([^.\s]{1,64})\.(\S{1,128})$/i.exec(header);
    if (bearer !== null) return this.#keyStore?.find(bearer[1] as string, bearer[2] as string);
    const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1] ?? '';
    const given = Buffer.from(encoded, 'base64').toString('utf8');
    const asUser = sameSecret(given, this.#user);
    const asCookie = sameSecret(given, this.#cookie);
    if (asUser) return this.#user === this.#cookie ? this.#clients.cookie : this.#clients.user;
    if (asCookie) return this.#clients.cookie;
    const colon = given.indexOf(':');
    return colon < 0 ? undefined : this.#keyStore?.find(given.slice(0, colon), given.slice(colon + 1));
  }
}

function unlimited(name: string): Client {
  return { name, mayCall: () => undefined, take: () => true, stillValid: () => true };
}
