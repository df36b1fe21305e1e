import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import {
  encodeAddress,
  hash160,
  type Outpoint,
  parseTxObj,
  serializeTx,
  signP2pkhInputs,
  type TxObj,
  toHex,
  verifyScripts,
} from '../../../chain/index.ts';
import { type Settings, settingsSchema } from '../../../contract/index.ts';
import { Described } from '../../open-api/test-support/described.ts';
import type { SecretName, SecretStore } from '../../ports/secrets.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { lockingScriptOf, START } from '../node/test-support/open-node.ts';
import type { MempoolLimits } from '../node/types.ts';
import { sandboxDocuments } from '../openapi/index.ts';
import { SandboxService } from '../sandbox.ts';
import { type SandboxTables, sandboxMigrations } from '../tables.ts';

export const walletKey = PrivateKey.fromHex('44'.repeat(32));
export const walletPublicKey = toHex(publicKeyOf(walletKey));
export const walletAddress = addressOf(walletKey);
export const otherKey = PrivateKey.fromHex('55'.repeat(32));

export function publicKeyOf(key: PrivateKey): Uint8Array {
  return Uint8Array.from(key.toPublicKey().toDER() as number[]);
}

export function addressOf(key: PrivateKey): string {
  return encodeAddress(hash160(publicKeyOf(key)), 'test');
}

export class MemorySecrets implements SecretStore {
  readonly locked = false;
  readonly values = new Map<SecretName, Uint8Array>();

  get(name: SecretName): Uint8Array | undefined {
    return this.values.get(name)?.slice();
  }

  async set(name: SecretName, value: Uint8Array): Promise<void> {
    this.values.set(name, value.slice());
  }

  async delete(name: SecretName): Promise<void> {
    this.values.delete(name);
  }
}

/** The documents of the sandbox, and what was held against them so far. */
export const described = Object.values(sandboxDocuments).map(({ base, document }) => new Described(document, base));

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds, and fails where it holds something else
  readonly body: any;
}

/** Settings of a sandbox on free ports that mines on request alone, as a test changes them. */
export class TestSettings implements SettingsView {
  /** Whoever is told of changes. */
  readonly listeners = new Set<Parameters<SettingsView['onChange']>[0]>();
  #settings: Settings;

  constructor(sandbox: Partial<Settings['sandbox']> = {}, others: Partial<Settings> = {}) {
    this.#settings = settingsSchema.parse({
      ...others,
      sandbox: {
        bind: '127.0.0.1:0',
        zmqAddress: 'tcp://127.0.0.1:0',
        mineInterval: '0',
        mineOnArrival: '',
        ...sandbox,
      },
    });
  }

  current(): Settings {
    return this.#settings;
  }

  onChange(listener: Parameters<SettingsView['onChange']>[0]): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  set(sandbox: Partial<Settings['sandbox']>, others: Partial<Settings> = {}): void {
    this.#settings = { ...this.#settings, ...others, sandbox: { ...this.#settings.sandbox, ...sandbox } };
    for (const listener of [...this.listeners]) listener(this.#settings, []);
  }
}

/** A sandbox on free ports in a temporary folder, with a fixed clock and blocks only on request. */
export class TestSandbox {
  readonly folder = mkdtempSync(join(tmpdir(), 'planchet-sandbox-'));
  readonly secrets = new MemorySecrets();
  readonly clock = new StillClock(START);
  readonly logged: string[] = [];
  readonly service: SandboxService;
  readonly #settings: TestSettings;

  static async open(
    sandbox: Partial<Settings['sandbox']> = {},
    others: Partial<Settings> = {},
    limits: Partial<MempoolLimits> = {},
  ): Promise<TestSandbox> {
    const opened = new TestSandbox(sandbox, others, limits);
    await opened.service.start();
    return opened;
  }

  /** The same, removed when the test ends. */
  static async ofTest(this: void, sandbox: Partial<Settings['sandbox']> = {}): Promise<TestSandbox> {
    const opened = await TestSandbox.open(sandbox);
    onTestFinished(() => opened.remove());
    return opened;
  }

  constructor(
    sandbox: Partial<Settings['sandbox']> = {},
    others: Partial<Settings> = {},
    limits: Partial<MempoolLimits> = {},
  ) {
    this.#settings = new TestSettings(sandbox, others);
    this.service = new SandboxService({
      settings: this.#settings,
      clock: this.clock,
      logger: pino({ level: 'trace' }, { write: (line: string) => void this.logged.push(line) }),
      secrets: this.secrets,
      dataDir: this.folder,
      walletScript: () => lockingScriptOf(walletKey),
      verify: async (tx, spent, rules) => verifyScripts(tx, spent, undefined, rules),
      limits,
    });
  }

  set(sandbox: Partial<Settings['sandbox']>, others: Partial<Settings> = {}): void {
    this.#settings.set(sandbox, others);
  }

  async restart(): Promise<void> {
    await this.service.stop();
    await this.service.start();
  }

  /** Changes the database of a stopped sandbox, to simulate the state after a crash. */
  async edit(change: (db: Store<SandboxTables>['db']) => Promise<void>): Promise<void> {
    const store = await openStore<SandboxTables>({
      file: join(this.folder, 'sandbox.db'),
      migrations: sandboxMigrations,
    });
    await change(store.db);
    await store.close();
  }

  async remove(): Promise<void> {
    await this.service.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get root(): string {
    return new URL(this.service.endpoints().baseUrl).origin;
  }

  /** A request to the token project API with the default key, which `apiKey` in the headers overrides. */
  async token(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(method, `/token/v1${path}`, body, { apikey: this.service.apiKey(), ...headers });
  }

  async mapi(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(method, `/mapi${path}`, body, { authorization: `Bearer ${this.service.apiKey()}`, ...headers });
  }

  /** @param body text is sent as `text/plain` */
  async arc(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(method, `/arc/v1${path}`, body, {
      authorization: `Bearer ${this.service.apiKey()}`,
      ...(typeof body === 'string' ? { 'content-type': 'text/plain' } : {}),
      ...headers,
    });
  }

  async admin(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(method, `/admin${path}`, body, { authorization: `Bearer ${this.service.apiKey()}` });
  }

  async submit(transactionUid: string, tx: string): Promise<Answer> {
    return this.token('POST', '/submit', { transactionUid, tx });
  }

  /** The listed outputs of the project. @param query such as `?on-chain=1` */
  // biome-ignore lint/suspicious/noExplicitAny: as in Answer
  async outputsOf(projectUid: string, query = ''): Promise<any[]> {
    return (await this.token('GET', `/output/by-project/${projectUid}${query}`)).body.data.outputList;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const binary = body instanceof Uint8Array;
    const answer = await fetch(this.root + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': binary ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: binary || typeof body === 'string' ? (body as string) : JSON.stringify(body) }),
    });
    const text = await answer.text();
    this.#described(method, path, body, answer, text);
    return {
      status: answer.status,
      headers: answer.headers,
      body: /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text,
    };
  }

  /** Every exchange of every test is held against the documents that describe the sandbox. */
  #described(method: string, path: string, body: unknown, { status, headers }: Response, text: string): void {
    // The merchant API evaluates anything and says in a result what was wrong with it.
    const isRefused = text.includes('\\"returnResult\\":\\"failure\\"');
    const sent = typeof body === 'object' && !(body instanceof Uint8Array) && !isRefused ? body : undefined;
    const contentType = headers.get('content-type') ?? '';
    for (const one of described)
      one.hold({ method, path, sent, status, contentType, headers: Object.fromEntries(headers), text });
  }

  /** A new unconfirmed coin of the wallet. */
  async coin(satoshis = 100_000): Promise<Outpoint & { satoshis: number }> {
    return { txid: (await this.service.fund({ address: walletAddress, satoshis: satoshis })).txid, vout: 0, satoshis };
  }

  async createProject(type: 'single' | 'collection' = 'single'): Promise<string> {
    const answer = await this.token('POST', '/project/create', {
      name: 'Moons',
      isFungible: false,
      type,
      tokenProtocol: 'OneSatOrdinal',
    });
    return answer.body.data.projectUid as string;
  }

  async createOutput(
    projectUid: string,
    changes: Record<string, unknown> = {},
    metadata: Record<string, unknown> = {},
  ): Promise<string> {
    const answer = await this.token(
      'POST',
      '/token/one-sat-ord/create-output',
      outputBody(projectUid, changes, metadata),
    );
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body.data.uid as string;
  }

  async createTransaction(
    projectUid: string,
    outputList: string[],
    changes: Record<string, unknown> = {},
  ): Promise<Answer> {
    const utxoList = changes.utxoList ?? [asReference(await this.coin())];
    return this.token('POST', '/token/one-sat-ord/create-transaction', {
      projectUid,
      publicKey: walletPublicKey,
      dstAddress: walletAddress,
      outputList,
      ...changes,
      utxoList,
    });
  }

  /** Creates a project, an output and a built transaction, signed. */
  async prepareMint(): Promise<{ projectUid: string; outputUid: string; transactionUid: string; tx: string }> {
    const projectUid = await this.createProject();
    const outputUid = await this.createOutput(projectUid);
    const { body } = await this.createTransaction(projectUid, [outputUid]);
    return { projectUid, outputUid, transactionUid: body.data.transactionUid, tx: sign(body.data.txObj) };
  }
}

export const CONTENT = Buffer.from('a moon, drawn by hand');

export function outputBody(
  projectUid: string,
  changes: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    projectUid,
    contentType: 'text/plain;charset=utf-8',
    b64File: CONTENT.toString('base64'),
    metadata: {
      name: 'Moon',
      type: 'ord',
      subType: 'single',
      subTypeData: '{"description": "one moon"}',
      description: 'one moon',
      phase: 'full',
      ...metadata,
    },
    ...changes,
  };
}

/** The complete response to a refused request of the token project or quota API, for `toMatchObject`. */
export function refused(status: number, code: string): { status: number; body: unknown } {
  return { status, body: { success: false, error: { code, message: expect.any(String) } } };
}

export function asReference({ txid, vout }: Outpoint): { txId: string; outputIndex: number } {
  return { txId: txid, outputIndex: vout };
}

/** Signs a transaction and returns its hex; uses the wallet's key by default. */
export function sign(txObj: TxObj, key: PrivateKey = walletKey): string {
  const { tx, spent } = parseTxObj(txObj);
  return toHex(serializeTx(signP2pkhInputs(tx, spent, key)));
}
