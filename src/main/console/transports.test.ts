import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract, phrase, UPLOAD_PIECE_BYTES } from '../../contract/index.ts';
import type { ConsoleClient } from './http-client.ts';
import { failureOf } from './test-support/failure-of.ts';
import { createFakeHost, type FakeHost } from './test-support/fake-host.ts';
import { HASH, OWN_ADDRESS } from './test-support/fake-studio.ts';
import { connectFake, type Transport, transports } from './test-support/transports.ts';

describe.each(Object.keys(transports))('the contract over %s', (name) => {
  let host: FakeHost;
  let transport: Transport;
  let client: ConsoleClient;

  beforeEach(async () => {
    ({ host, transport, client } = await connectFake(name));
  });

  afterEach(() => transport.close());

  async function upload(bytes: Uint8Array<ArrayBuffer>, contentType = 'image/png'): Promise<string> {
    const { uploadId } = await client.files.begin({ name: 'a.png', bytes: bytes.length, contentType });
    for (let offset = 0; offset < bytes.length; offset += UPLOAD_PIECE_BYTES) {
      const piece = new Blob([bytes.subarray(offset, offset + UPLOAD_PIECE_BYTES)]);
      const { received } = await client.files.append({ uploadId, offset, piece });
      expect(received).toBe(Math.min(offset + UPLOAD_PIECE_BYTES, bytes.length));
    }
    const info = await client.files.finish({ uploadId });
    expect(info).toMatchObject({ name: 'a.png', contentType, bytes: bytes.length });
    return info.sha256;
  }

  async function newItem(): Promise<{ projectUid: string; itemId: string }> {
    const project = await client.projects.create({ name: '  Moons ', type: 'collection' });
    const sha256 = await upload(new Uint8Array([1, 2, 3]));
    const metadata = { name: 'Moon', description: '', traits: [] };
    const item = await client.items.create({ projectUid: project.uid, sha256, fileName: 'moon.png', metadata });
    return { projectUid: project.uid, itemId: item.id };
  }

  const newJob = async (): Promise<string> => {
    const { itemId } = await newItem();
    const job = await client.mint.create({
      itemIds: [itemId],
      destination: OWN_ADDRESS,
      idempotencyKey: 'k'.repeat(8),
    });
    expect(job).toMatchObject({ state: 'reviewed', awaitingApproval: true, itemIds: [itemId] });
    return job.id;
  };

  it('reports on the application and changes its state', async () => {
    expect(await client.app.info()).toMatchObject({ network: 'sandbox', dataDir: '/data' });
    expect(await client.app.createLink()).toEqual({ url: 'http://localhost:1/#token=t' });
    await client.app.setTheme({ theme: 'dark' });
    await client.app.dismissNotice({ id: 'n1' });
    expect(await client.app.pastNotices()).toMatchObject([{ id: 'n1' }]);
    await client.app.welcomed();
    expect(await client.app.snapshot()).toMatchObject({ theme: 'dark', notices: [], wallet: { address: OWN_ADDRESS } });
  });

  it('lists and restarts services', async () => {
    const [console] = await client.services.list();
    expect(console).toEqual({ name: 'console', status: { state: 'running' }, since: 1 });
    expect(await client.services.restart({ name: 'console' })).toEqual(console);
    expect(await failureOf(client.services.restart({ name: 'writer' }))).toMatchObject({ code: 'not-running' });
  });

  it('lists and sets settings', async () => {
    expect(await client.settings.list()).toHaveLength(1);
    const { entry, restarts } = await client.settings.set({ key: 'logLevel', value: 'debug' });
    expect(entry).toMatchObject({ key: 'logLevel', value: 'debug' });
    expect(restarts).toEqual(['application']);
    expect(await failureOf(client.settings.set({ key: 'colour', value: 1 }))).toMatchObject({
      code: 'settings-invalid',
    });
  });

  it('reports on the wallet', async () => {
    expect(await client.wallet.status()).toMatchObject({ state: 'ready', worthless: true });
    expect(await client.wallet.validateAddress({ address: OWN_ADDRESS })).toMatchObject({ valid: true, own: true });
    const contact = { address: OWN_ADDRESS, name: 'Mira' };
    expect(await client.wallet.contacts.save(contact)).toEqual(contact);
    expect(await client.wallet.contacts.list()).toEqual([]);
    await client.wallet.contacts.remove({ address: OWN_ADDRESS });
    await client.wallet.contacts.acceptKey({ address: 'alice@example.com', key: '' });
    expect(await failureOf(client.wallet.validateAddress({ address: 'x'.repeat(129) }))).toMatchObject({
      code: 'invalid-input',
      detail: { field: 'address' },
    });
  });

  it('stores projects and items', async () => {
    const { projectUid, itemId } = await newItem();
    expect(await client.projects.get({ uid: projectUid })).toMatchObject({ name: 'Moons', type: 'collection' });
    expect(await client.projects.list()).toHaveLength(1);
    const changed = await client.items.update({ id: itemId, metadata: { name: 'Half moon' } });
    expect(changed.metadata).toEqual({ name: 'Half moon', description: '', traits: [] });
    expect(await client.items.list({ projectUid })).toEqual([changed]);
    const again = await client.items.updateMany({ changes: [{ id: itemId, metadata: { name: 'New moon' } }] });
    expect(again.map(({ metadata }) => metadata.name)).toEqual(['New moon']);
    await client.items.reorder({ projectUid, ids: [itemId], renumber: true });
    expect(await client.outputs.list({ projectUid, filter: { onChain: true, type: 'collection' } })).toEqual([]);
    expect(await client.projectMoves.preview({ projectUid, to: 'main' })).toMatchObject({ items: 1, royalties: [] });
    expect(await client.projectMoves.copy({ projectUid, to: 'main' })).toMatchObject({ items: 1 });
    const alone = { projectUid, sha256: 'ab'.repeat(32), subType: 'single', name: 'Tide' } as const;
    expect(await client.outputs.create(alone)).toEqual({ uid: alone.sha256 });
    expect(await failureOf(client.outputs.update({ projectUid, uid: 'o', name: 'x' }))).toMatchObject({
      code: 'not-found',
    });
    expect(await failureOf(client.outputs.remove({ projectUid, uid: 'o' }))).toMatchObject({ code: 'not-found' });
    await client.items.remove({ ids: [itemId] });
    await client.items.restore({ ids: [itemId] });
    expect(await failureOf(client.items.restore({ ids: ['none'] }))).toMatchObject({ code: 'not-found' });
    const { sha256 } = again[0]?.file ?? { sha256: '' };
    const smaller = { changes: [{ id: itemId, sha256, fileName: 'small.webp' }], keepsOriginal: true };
    expect(await client.items.replaceFiles(smaller)).toMatchObject([{ original: { sha256 } }]);
    expect((await client.items.putOriginals({ ids: [itemId] }))[0]?.original).toBeUndefined();
    expect(await client.items.makeEdition({ id: itemId, count: 2 })).toHaveLength(2);
    expect(await client.items.undo({ projectUid })).toEqual({ what: 'edited', items: 1, at: 1 });
    await client.items.remove({ ids: [itemId] });
    expect(await client.items.history.get({ projectUid })).toMatchObject({ last: { what: 'edited' }, inBin: 1 });
    expect(await client.items.history.bin({ projectUid })).toMatchObject([{ item: { id: itemId } }]);
    await client.items.history.emptyBin({ projectUid });
    expect(await client.items.list({ projectUid })).toEqual([]);
    expect(await failureOf(client.items.remove({ ids: [itemId] }))).toEqual({
      code: 'not-found',
      message: 'There is no such item.',
      hint: 'Look at the list.',
    });
    expect(await failureOf(client.projects.get({ uid: 'none' }))).toMatchObject({ code: 'not-found' });
    expect(await failureOf(client.items.update({ id: 'none', metadata: { name: 'x' } }))).toMatchObject({
      code: 'not-found',
    });
  });

  it('names the field of an invalid input, and runs no handler', async () => {
    expect(await failureOf(client.projects.create({ name: '  ', type: 'single' }))).toEqual({
      code: 'invalid-input',
      message: 'The request is not valid. name: must not be empty.',
      hint: 'Correct what the message names and try again. Nothing was changed.',
      id: 'console.input-invalid',
      values: {
        problems: {
          key: 'reason.of-sources',
          values: { each: [phrase('field.problem', { field: 'name', rule: phrase('rule.given') })] },
        },
      },
      detail: { field: 'name' },
    });
    const metadata = { name: 'ok', traits: [{ name: 'size', value: '' }] };
    const failure = await failureOf(client.items.create({ projectUid: 'p', sha256: HASH, fileName: 'f', metadata }));
    expect(failure.message).toContain('metadata.traits.0.value: must not be empty');
    expect(await failureOf(client.transactions.get({ txid: 'AB' }))).toMatchObject({ code: 'invalid-input' });
    expect(await failureOf(client.tokens.list({ limit: 0 }))).toMatchObject({ detail: { field: 'limit' } });
    expect(await failureOf(client.projects.get(undefined as never))).toMatchObject({ code: 'invalid-input' });
    expect(await client.projects.list()).toEqual([]);
  });

  it('carries a file in pieces, and back', async () => {
    const bytes = new Uint8Array(randomBytes(2 * UPLOAD_PIECE_BYTES + 17));
    const sha256 = await upload(bytes);
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    const blob = await client.files.read({ sha256 });
    expect(blob.type).toBe('image/png');
    expect(Buffer.compare(new Uint8Array(await blob.arrayBuffer()), bytes)).toBe(0);
    expect(host.studio.openUploads).toBe(0);
    expect((await client.files.thumbnail({ sha256 }))?.type).toBe('image/png');
  });

  it('carries a thumbnail that is not there', async () => {
    const { uploadId } = await client.files.begin({ name: 'a.txt', bytes: 3, contentType: 'text/plain' });
    await client.files.append({ uploadId, offset: 0, piece: new Blob(['abc']) });
    const { sha256 } = await client.files.finish({ uploadId });
    expect(await client.files.thumbnail({ sha256 })).toBeNull();
  });

  it('has no session of its own where none is needed', async () => {
    expect(await client.sessions.list()).toMatchObject({ sessions: [], current: null, lockAfter: 0 });
    expect(await failureOf(client.sessions.end({ id: 'none' }))).toMatchObject({ code: 'not-found' });
    expect(await client.sessions.endOthers()).toEqual({ ended: 0 });
    await client.sessions.lock();
  });

  it('approves nothing that does not wait', async () => {
    expect(await client.approvals.list()).toEqual({ waiting: [], permissions: [], records: [] });
    const digest = HASH;
    for (const call of [
      client.approvals.approve({ id: 'none', digest }),
      client.approvals.deny({ id: 'none' }),
      client.approvals.revoke({ id: 'none' }),
    ])
      expect(await failureOf(call)).toMatchObject({ code: 'not-found' });
    expect(await failureOf(client.approvals.approve({ id: 'none', digest: 'short' }))).toMatchObject({
      code: 'invalid-input',
    });
  });

  it('refuses bad pieces and drops a cancelled upload', async () => {
    expect(await failureOf(client.files.begin({ name: 'a', bytes: 9e6, contentType: 'image/png' }))).toMatchObject({
      code: 'file-too-large',
    });
    const { uploadId } = await client.files.begin({ name: 'a', bytes: 5, contentType: 'image/png' });
    const piece = new Blob(['abcde']);
    expect(await failureOf(client.files.append({ uploadId, offset: 3, piece }))).toMatchObject({ code: 'conflict' });
    expect(await failureOf(client.files.append({ uploadId, offset: 0, piece: 'abcde' as never }))).toMatchObject({
      code: 'invalid-input',
      detail: { field: 'piece' },
    });
    const large = new Blob([new Uint8Array(UPLOAD_PIECE_BYTES + 1)]);
    expect(await failureOf(client.files.append({ uploadId, offset: 0, piece: large }))).toMatchObject({
      code: 'invalid-input',
      detail: { limit: UPLOAD_PIECE_BYTES },
    });
    await client.files.abort({ uploadId });
    expect(host.studio.openUploads).toBe(0);
    expect(await failureOf(client.files.abort({ uploadId }))).toMatchObject({ code: 'not-found' });
    expect(await failureOf(client.files.read({ sha256: HASH }))).toMatchObject({ code: 'not-found' });
  });

  it('takes a mint through its approval', async () => {
    const id = await newJob();
    const [itemId] = (await client.mint.get({ id })).itemIds as [string];
    expect(await client.mint.estimate({ itemIds: [itemId], destination: OWN_ADDRESS })).toMatchObject({
      tokens: 1,
      total: 26,
    });
    expect(await failureOf(client.mint.approve({ id, digest: 'cd'.repeat(32) }))).toMatchObject({ code: 'conflict' });
    expect(await client.mint.approve({ id, digest: HASH })).toMatchObject({ state: 'signed', awaitingApproval: false });
    expect(await failureOf(client.mint.retry({ id }))).toMatchObject({ code: 'conflict' });
    expect(await client.mint.cancel({ id })).toMatchObject({ state: 'cancelled' });
    expect((await client.mint.list({})).jobs).toHaveLength(1);
    expect(await failureOf(client.mint.get({ id: 'none' }))).toMatchObject({ code: 'not-found' });
  });

  it('reports on tokens, the quota and transactions', async () => {
    expect(await client.tokens.list({})).toMatchObject({ tokens: [{}, {}, {}], total: 3 });
    expect((await client.tokens.list({ limit: 1 })).tokens).toHaveLength(1);
    expect((await client.tokens.outpoints({})).outpoints).toHaveLength(3);
    const list = new Blob(['one address a line']);
    expect(await client.tokens.sendMany.read({ list })).toEqual({ rows: [], left: [], pairedBy: 'order' });
    const moves = [{ outpoint: `${'ab'.repeat(32)}_0`, address: OWN_ADDRESS }];
    expect(await failureOf(client.tokens.sendMany.prepare({ moves, idempotencyKey: 'the-key-1' }))).toMatchObject({
      id: 'wallet.send-no-token',
    });
    expect(await client.tokens.publishing.plan({ projectUid: 'p' })).toMatchObject({ parts: 1 });
    const { files, content } = await client.tokens.publishing.part({ id: 'folder', part: 0 });
    expect({ files, content: await content.text() }).toEqual({
      files: [{ path: 'token/0001.html', bytes: 15 }],
      content: '<!doctype html>',
    });
    expect(await client.tokens.publishing.address({ projectUid: 'p' })).toEqual({ baseUrl: null });
    expect(await client.tokens.publishing.setAddress({ projectUid: 'p', baseUrl: 'https://moons.example' })).toEqual({
      baseUrl: 'https://moons.example/',
    });
    for (const baseUrl of ['http://127.0.0.1:8080/', 'http://localhost/', 'javascript:alert(1)']) {
      expect(await failureOf(client.tokens.publishing.setAddress({ projectUid: 'p', baseUrl }))).toMatchObject({
        code: 'invalid-input',
      });
    }
    expect(await client.tokens.publishing.link({ origin: `${HASH}_0` })).toMatchObject({
      url: 'https://moons.example/token/0001.html',
    });
    expect(await client.quota.get()).toMatchObject({ available: 9 });
    expect(await client.tx.counts()).toEqual({});
    expect(await client.transactions.get({ txid: HASH })).toMatchObject({ txid: HASH, blockHash: null });
    expect(await client.transactions.spenders({ txid: HASH, outputs: [1] })).toMatchObject([{ index: 1 }]);
    expect(await client.transactions.ancestors({ txid: HASH })).toEqual({ txids: [HASH], isComplete: true });
    expect(await client.transactions.forms({ txid: HASH })).toMatchObject({ beef: '0100beef', ef: null });
    expect(await (await client.transactions.content({ txid: HASH, index: 0 })).text()).toBe('inscribed');
    expect(await failureOf(client.transactions.content({ txid: HASH, index: 1 }))).toMatchObject({ code: 'not-found' });
    expect(await failureOf(client.transactions.get({ txid: 'cd'.repeat(32) }))).toMatchObject({ code: 'not-found' });
  });

  it('passes on the replies of the node, errors included', async () => {
    const params = [1, 'two', { three: [null, true] }];
    expect(await client.node.call({ method: 'echo', params })).toEqual({ result: params, error: null });
    expect(await client.node.call({ method: 'nope', params: [] })).toEqual({
      result: null,
      error: { code: -32_601, message: 'Method not found' },
    });
  });

  it('carries large requests and large replies', async () => {
    const hex = 'ab'.repeat(1_500_000);
    const { result } = await client.node.call({ method: 'echo', params: [hex] });
    expect((result as string[])[0]).toBe(hex);
  });

  it('carries the controls of the sandbox', async () => {
    expect(await client.sandbox.mine({ blocks: 2 })).toEqual({ hashes: [HASH, HASH] });
    expect(await client.sandbox.fund({ address: OWN_ADDRESS, satoshis: 1 })).toEqual({ txid: HASH });
    expect(await failureOf(client.sandbox.fund({ address: 'x', satoshis: 1 }))).toMatchObject({
      code: 'address-invalid',
    });
    expect(await failureOf(client.sandbox.fund({ address: 'x', satoshis: 0.5 }))).toMatchObject({
      code: 'invalid-input',
    });
  });

  it('shows the gateway, its keys, its paired pages and its password', async () => {
    expect(await client.gateway.status()).toMatchObject({ tip: { height: 7 }, upstreams: [{ circuit: 'open' }] });
    const seen: number[] = [];
    for await (const { calls } of await client.gateway.traffic()) seen.push(...calls.map(({ number }) => number));
    expect(seen).toEqual([1]);
    expect(await client.gateway.bodies({ number: 1 })).toMatchObject({ kept: 'whole', answer: '{"result":1}' });
    expect(await client.gateway.replay({ number: 1 })).toMatchObject({ status: 200 });
    const { key, username, password } = await client.gateway.keys.create({ name: ' indexer ', methods: ['getblock'] });
    expect(key).toMatchObject({ name: 'indexer', methods: ['getblock'], rate: null, expiresAt: null });
    expect([username, password]).toEqual([key.id, 'shown once']);
    expect(JSON.stringify(await client.gateway.keys.list())).not.toContain('shown once');
    expect(await client.gateway.keys.rotate({ id: key.id })).toMatchObject({ username: key.id });
    expect(await client.gateway.keys.revoke({ id: key.id })).toMatchObject({ revokedAt: 2 });
    expect(await failureOf(client.gateway.keys.revoke({ id: 'none' }))).toMatchObject({ code: 'not-found' });
    expect(await client.gateway.keys.restore({ id: key.id })).toMatchObject({ revokedAt: null });
    expect(await failureOf(client.gateway.keys.create({ name: 'a:b' }))).toMatchObject({ code: 'invalid-input' });
    const origin = 'https://app.example';
    expect(await client.gateway.origins.pair({ origin })).toMatchObject({ origin });
    expect(await client.gateway.origins.list()).toHaveLength(1);
    await client.gateway.origins.unpair({ origin });
    expect(await client.gateway.origins.restore({ origin })).toMatchObject({ origin });
    await client.gateway.origins.unpair({ origin });
    expect(await client.gateway.origins.list()).toEqual([]);
    const [request] = await client.gateway.origins.requests();
    expect(request).toMatchObject({ origin: 'https://asking.example', code: '4711' });
    await client.gateway.origins.decide({ id: 'r1', allow: true, expiresAt: 5 });
    expect(await client.gateway.origins.list()).toMatchObject([{ origin: 'https://asking.example', expiresAt: 5 }]);
    expect(await failureOf(client.gateway.origins.decide({ id: 'r1', allow: false }))).toMatchObject({
      code: 'not-found',
    });
    expect(await client.gateway.test({})).toMatchObject([{ subject: 'upstream', passed: false }]);
    expect(JSON.stringify(await client.gateway.connection())).not.toContain('first');
    expect(await client.gateway.revealPassword()).toEqual({ password: 'first' });
    expect(await client.gateway.rotatePassword()).toEqual({ password: 'second' });
    expect(await client.gateway.params({ number: 1 })).toEqual({ params: '[]' });
    expect(await client.gateway.history()).toMatchObject({ stepMs: 5_000, methods: [], total: { calls: [] } });
    expect(await client.gateway.commands()).toMatchObject([{ name: 'getinfo', parameters: [] }]);
    expect(await client.zmq.counts()).toEqual({
      source: 'none',
      degraded: null,
      topics: [],
      subscribers: 0,
      waiting: 0,
      dropped: 0,
    });
    const steps: unknown[] = [];
    for await (const step of await client.zmq.feed()) steps.push(step);
    expect(steps).toEqual([{ messages: [], skipped: 0 }]);
  });

  it('tells of the headers and has them read', async () => {
    const status = await client.headers.status();
    expect(status).toMatchObject({ tip: null, isAgreed: expect.any(Boolean) });
    expect(await client.headers.sync({ from: 0 })).toEqual(status);
  });

  it('answers an unexpected error without its text, and logs it', async () => {
    const failure = await failureOf(client.node.call({ method: 'fault', params: [] }));
    expect(failure.code).toBe('internal');
    expect(JSON.stringify(failure)).not.toContain('hunter22');
    const line = host.logs.find((text) => text.includes('"node.call"')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 50, err: { type: 'TypeError', stack: expect.any(String) } });
  });

  it('answers output that breaks the contract as an internal error', async () => {
    host.context.wallet.status = () => ({ nonsense: 'hunter22' }) as never;
    expect(await failureOf(client.wallet.status())).toMatchObject({ code: 'internal' });
  });

  it('answers a procedure that its service lacks as an internal error, also where it gives nothing', async () => {
    Reflect.deleteProperty(host.context.import, 'discard');
    expect(await failureOf(client.import.discard({ id: 'i' }))).toMatchObject({ code: 'internal' });
  });

  it('ends a call that its client cancels', async () => {
    const controller = new AbortController();
    const call = client.node.call({ method: 'wait', params: [] }, { signal: controller.signal });
    const outcome = expect(call).rejects.toThrow();
    await host.waits;
    controller.abort();
    await outcome;
    expect(host.logs.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

describe('a network without sandbox', () => {
  it('refuses to mine, and says that there is no sandbox', async () => {
    const host = createFakeHost({ withSandbox: false });
    const transport = await (transports['direct call'] as (typeof transports)[string])(host.context);
    expect(await failureOf(transport.connect().sandbox.mine({ blocks: 1 }))).toMatchObject({
      code: 'not-running',
      message: 'There is no sandbox on the main network.',
    });
  });
});

/** `list`, and `keys.list` where procedures are in a table of their own. */
function namesIn(table: object): string[] {
  return Object.entries(table).flatMap(([name, value]: [string, object]) =>
    '~orpc' in value ? [name] : namesIn(value).map((inner) => `${name}.${inner}`),
  );
}

describe('this suite', () => {
  it('calls every procedure of the contract, here or over the real host', async () => {
    const { readFile } = await import('node:fs/promises');
    const others = [
      './live-events.test.ts',
      '../host/transports.test.ts',
      '../host/gallery.test.ts',
      '../host/import.test.ts',
      '../host/runs.test.ts',
      '../host/rehearsals.test.ts',
      '../host/tokens.test.ts',
      '../host/fees.test.ts',
      '../host/merchant.test.ts',
      '../host/callbacks.test.ts',
      '../host/submission.test.ts',
      '../host/miners.test.ts',
      '../host/wallet.test.ts',
      '../host/external-wallet.test.ts',
      '../host/app-payments.test.ts',
      '../host/accounts.test.ts',
      '../host/settings.test.ts',
      '../host/search.test.ts',
      '../host/networks.test.ts',
      '../host/network-test.test.ts',
      '../host/network-sources.test.ts',
      '../host/diagnostics.test.ts',
      '../host/currency-rate.test.ts',
      '../host/without-node.test.ts',
    ];
    const files = [new URL(import.meta.url), ...others.map((file) => new URL(file, import.meta.url))];
    const source = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    const procedures = Object.entries(contract).flatMap(([topic, table]) =>
      namesIn(table).map((procedure) => `${topic}.${procedure}(`),
    );
    expect(procedures.filter((call) => !source.includes(call))).toEqual([]);
  });
});
