import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleClient } from './http-client.ts';
import { failureOf } from './test-support/failure-of.ts';
import { HASH, OWN_ADDRESS } from './test-support/fake-studio.ts';
import { connectFake, type Transport, transports } from './test-support/transports.ts';
import { upload } from './test-support/upload.ts';

describe.each(Object.keys(transports))('the API over %s', (name) => {
  let transport: Transport;
  let client: ConsoleClient;

  beforeEach(async () => {
    ({ transport, client } = await connectFake(name));
  });

  afterEach(() => transport.close());

  async function newItem(): Promise<{ projectUid: string; itemId: string }> {
    const project = await client.projects.create({ name: '  Moons ', type: 'collection' });
    const sha256 = await upload(client, new Uint8Array([1, 2, 3]));
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
});
