import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { readBundle, verifyBundle } from '../../chain/bundle/index.ts';
import { contract } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { SandboxService } from '../sandbox/sandbox.ts';
import { AlteringProxy } from '../test-support/altering-proxy.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  mintProven,
  openTestHost,
  type TestHost,
  until,
  walletFilled,
} from '../test-support/hosts/open-host.ts';

let opened: TestHost;
let node: AlteringProxy;
/** What procedures are asked about, by the name of the property. */
let asked: Readonly<Record<string, unknown>>;
/** Commands that the node refuses as unknown, and what it answers in place of everything. */
let missing: readonly string[] = [];
let everything: ((id: unknown) => unknown) | undefined;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const refusal = (id: unknown, code = -32_601, message = 'Method not found') => ({
  result: null,
  error: { code, message },
  id,
});

function answerOf(answer: unknown, { id, method, params }: Call): unknown {
  if (everything !== undefined) return everything(id);
  const isMissing = missing.includes(method) || missing.includes(`${method} ${params.at(-1)}`);
  return isMissing ? refusal(id) : answer;
}

beforeAll(async () => {
  const real = SandboxService.prototype.endpoints;
  let url = '';
  const spy = vi.spyOn(SandboxService.prototype, 'endpoints').mockImplementation(function (this: SandboxService) {
    const endpoints = real.call(this);
    url = endpoints.bitcoinRpcUrl;
    return endpoints;
  });
  opened = await openTestHost({ dataDir: await filledDataDir() });
  await walletFilled(opened.client);
  spy.mockRestore();
  const { username, password, host } = new URL(url);
  node = await AlteringProxy.open(`http://${host}`);
  node.alter = (answer, { body }) => {
    if (!Array.isArray(body)) return answerOf(answer, body as Call);
    const answers = answer as unknown as unknown[];
    return everything === undefined ? body.map((call: Call, at) => answerOf(answers[at], call)) : everything(null);
  };
  const value = `http://${username}:${password}@${new URL(node.url).host}/rpc`;
  await opened.client.settings.set({ key: 'bitcoinRpcUrl', value });
});
afterAll(async () => {
  await closeTestHost(opened);
  await node.close();
});
beforeEach(() => {
  missing = [];
  everything = undefined;
});

it('the host proves mints, payments, documents and bundles over a node that makes no proofs and lists its blocks', async () => {
  missing = ['getmerkleproof2', 'getmerkleproof', 'getblockheader 2'];
  const { client } = opened;
  const address = (await client.wallet.status()).address as string;
  const projectUid = (await client.projects.create({ name: 'Moons', type: 'single' })).uid;
  const itemId = await addItem(client, projectUid, { name: 'moon.txt', bytes: Buffer.from('a moon') });
  const { id, txid } = await mintProven(client, itemId, address);
  expect((await client.mint.get({ id })).proof).toMatchObject({ index: 1 });
  const { bundle } = await client.tokens.bundle({ outpoint: `${txid}_0` });
  const verified = verifyBundle(readBundle(new Uint8Array(await bundle.arrayBuffer())));
  expect(verified.tokens).toMatchObject([{ outpoint: `${txid}_0` }]);
  const document = await client.writer.write({ body: '{"a":1}' });
  const proven = await until(async () => {
    const now = await client.writer.documents.get({ id: document.id });
    return now.state === 'proven' && now;
  });
  expect((await client.tx.get({ txid })).proof).not.toBeNull();
  asked = {
    txid,
    outpoint: `${txid}_0`,
    projectUid,
    uid: projectUid,
    itemIds: [itemId],
    address,
    destination: address,
    hash: (await client.tx.get({ txid })).block?.hash,
    text: txid,
    id,
    document: proven.id,
  };
});

/** Procedures that end or replace what the others ask, and those whose answers are streams. */
const LEFT_OUT = [
  ...['events.subscribe', 'logs.follow', 'tx.callbacks', 'zmq.feed', 'networks.switch', 'networks.save'],
  ...['services.restart', 'sessions.end', 'sessions.endOthers', 'sessions.lock', 'wallet.lock', 'wallet.restore'],
  ...['settings.set', 'settings.reset', 'settings.import', 'settings.undo', 'wallet.vault.changePassphrase'],
  ...['gateway.rotatePassword', 'app.createLink', 'files.append', 'import.upload.append', 'tx.upload'],
];

type Procedure = (input: unknown) => Promise<unknown>;

function procedures(table: object, client: object, path = ''): { name: string; call: Procedure; schema: z.ZodType }[] {
  return Object.entries(table).flatMap(([key, value]: [string, object]) => {
    const name = `${path}${key}`;
    const own = (client as Record<string, object>)[key] as object;
    if (!('~orpc' in value)) return procedures(value, own, `${name}.`);
    const { inputSchema } = value['~orpc'] as { inputSchema?: z.ZodType };
    return [{ name, call: own as Procedure, schema: inputSchema ?? z.undefined() }];
  });
}

interface Shape {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Shape[];
  oneOf?: Shape[];
  pattern?: string;
  minLength?: number;
  minimum?: number;
  items?: Shape;
  properties?: Record<string, Shape>;
  required?: string[];
  default?: unknown;
}

/** Something that fits a schema; what it names is asked for as it is. */
function sample(shape: Shape, name = ''): unknown {
  if (Object.hasOwn(asked, name)) return asked[name];
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0];
  const [first] = shape.anyOf ?? shape.oneOf ?? [];
  if (first !== undefined) return sample(first, name);
  switch (shape.type) {
    case 'object': {
      const entries = Object.entries(shape.properties ?? {});
      const wanted = entries.filter(([key]) => shape.required?.includes(key) || Object.hasOwn(asked, key));
      return Object.fromEntries(wanted.map(([key, own]) => [key, sample(own, key)]));
    }
    case 'array':
      return [sample(shape.items ?? {}, name.replace(/s$/, ''))];
    case 'integer':
    case 'number':
      return Math.max(shape.minimum ?? 1, 1);
    case 'boolean':
      return false;
    case 'string':
      if (name === 'idempotencyKey') return randomUUID();
      return shape.pattern?.includes('{64}') ? 'ab'.repeat(32) : 'x'.repeat(Math.max(shape.minLength ?? 1, 1));
    default:
      return undefined;
  }
}

it.each<[string, (id: unknown) => unknown]>([
  ['refuses every command', (id) => refusal(id)],
  ['fails at every command', (id) => refusal(id, -1, 'something went wrong in the node')],
  ['answers nothing', (id) => ({ result: null, error: null, id })],
  ['answers with an object of nothing', (id) => ({ result: {}, error: null, id })],
  ['answers with words', (id) => ({ result: 'words', error: null, id })],
  ['does not speak JSON-RPC', () => ['no', 'answer']],
])('no procedure ends as a fault of this program where the node %s', async (_, answer) => {
  everything = answer;
  const failures: string[] = [];
  let called = 0;
  for (const { name, call, schema } of procedures(contract, opened.client)) {
    if (LEFT_OUT.includes(name) || name.startsWith('sandbox.')) continue;
    const input = sample(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Shape);
    const given = name.startsWith('writer.documents') ? { ...(input as object), id: asked.document } : input;
    called++;
    await call(given).catch((error: unknown) => {
      const { code, message } = failureOf(error);
      if (code === 'internal') failures.push(`${name}: ${message}`);
    });
  }
  expect(called).toBeGreaterThan(100);
  expect(failures).toEqual([]);
});
