import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { OWN_ADDRESS } from '../test-support/file-wallet.ts';
import { approved, MintHarness, mint, png, reach } from '../test-support/mint-harness.ts';
import { inscribed, moons, openCollection, reachRun, smallBatches, startRun } from '../test-support/run-harness.ts';
import { addItem, type TestStudio } from '../test-support/test-studio.ts';

const harness = MintHarness.forTests();
const everyTokenCall = /token\/v1|console\/v1/;
const withoutService = { baseUrl: '' };
/** The address of the token service, on the same network as {@link withoutService}. */
const withService = () => ({ baseUrl: `${harness.service.url}/token/v1` });

const proven = async (t: TestStudio, id: string) => {
  const timer = setInterval(() => {
    harness.service.chain.mine();
    t.tip.announce();
  }, 20);
  return reach(t, id, ({ state }) => state === 'proven').finally(() => clearInterval(timer));
};

describe('projects without a token service', () => {
  it('are kept on this computer under its own ids, without any request to a service', async () => {
    const t = await harness.start(withoutService);
    const made = await t.studio.projects.create({ name: 'Moons', type: 'collection' });
    expect(made).toMatchObject({ service: null, direct: true, network: 'test', tokenProtocol: 'OneSatOrdinal' });
    expect(made.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const other = await t.studio.projects.create({ name: 'Moons', type: 'collection' });
    expect(other.uid).not.toBe(made.uid);
    await addItem(t, made.uid, png('cover'));
    // both may be made in the same millisecond
    const counts = new Map((await t.studio.projects.list()).map(({ uid, itemCount }) => [uid, itemCount]));
    expect(Object.fromEntries(counts)).toEqual({ [other.uid]: 0, [made.uid]: 1 });
    await expect(t.studio.projects.get({ uid: randomUUID() })).rejects.toMatchObject({ id: 'mint.project-missing' });
    expect(await t.studio.quota.get()).toBeNull();
    expect(harness.service.count(everyTokenCall)).toBe(0);
  });

  it('are minted directly, file by file and as a whole, at the price that is estimated', async () => {
    const t = await openCollection(harness, 4, { ...withoutService, settings: { base64Content: 'accept' } });
    const cover = (await t.studio.items.list({ projectUid: t.projectUid }))[0]?.id as string;
    const estimate = await t.studio.mint.estimate({ itemIds: [cover], destination: OWN_ADDRESS });
    expect(estimate).toMatchObject({ direct: true, quotaAvailable: null, problems: [] });
    const job = await proven(t, await approved(t, [cover]));
    expect(job).toMatchObject({ direct: true, failure: null });
    // a signature is a byte longer or shorter; base64 text would be a hundred
    expect(Math.abs((job.review?.size ?? 0) - estimate.size)).toBeLessThan(4);
    const id = await startRun(t);
    const run = await reachRun(harness, t, id, ({ state }) => state === 'done');
    expect(run).toMatchObject({ direct: true, items: 4, minted: 4, byState: { proven: 4 } });
    expect(inscribed(harness)).toEqual(moons(5));
    expect(harness.service.count(everyTokenCall)).toBe(0);
  });

  it('go on after a restart in the middle of a run, and nothing is minted twice', async () => {
    const t = await openCollection(harness, 5, withoutService);
    harness.service.fault(/miner\/submit/, 503, { times: 3 });
    const id = await startRun(t);
    await reachRun(harness, t, id, ({ byState }) => (byState.draft ?? 0) < 6);
    await harness.close();
    const again = await harness.start({ ...withoutService, runLimits: smallBatches });
    expect(await reachRun(harness, again, id, ({ state }) => state === 'done')).toMatchObject({ minted: 6, failed: 0 });
    expect(inscribed(harness)).toEqual(moons(6));
    expect(harness.service.chain.doubleSpends).toEqual([]);
    expect(harness.service.count(everyTokenCall)).toBe(0);
  });

  it('have no outputs at a service', async () => {
    const t = await harness.start(withoutService);
    const { uid } = await t.studio.projects.create({ name: 'Moons', type: 'single' });
    const refused = { code: 'conflict', id: 'mint.project-not-served' };
    await expect(t.studio.outputs.list({ projectUid: uid })).rejects.toMatchObject(refused);
    await expect(t.studio.outputs.remove({ projectUid: uid, uid: 'o1' })).rejects.toMatchObject(refused);
    const { file } = await addItem(t, uid, png('moon'));
    const output = { projectUid: uid, sha256: file.sha256, subType: 'single' as const, name: 'Moon', description: '' };
    await expect(t.studio.outputs.create(output)).rejects.toMatchObject(refused);
    expect(harness.service.count(everyTokenCall)).toBe(0);
  });
});

describe('a project', () => {
  it('stays on this computer when a token service is set later, and is still minted without it', async () => {
    const before = await harness.ready(2, withoutService);
    const [first, second] = before.itemIds as [string, string];
    await harness.close();
    const t = await harness.start(withService());
    const remote = await t.studio.projects.create({ name: 'Served', type: 'single' });
    expect(remote).toMatchObject({ service: new URL(harness.service.url).host, direct: false });
    expect((await t.studio.projects.list()).map(({ uid, direct }) => [uid, direct])).toEqual([
      [remote.uid, false],
      [before.project.uid, true],
    ]);
    const asked = harness.service.count(/create-output|create-transaction|\/submit/);
    const job = await proven(t, await approved(t, [first]));
    expect(job.direct).toBe(true);
    const id = await startRun({ ...t, projectUid: before.project.uid });
    expect(await reachRun(harness, t, id, ({ state }) => state === 'done')).toMatchObject({ direct: true, minted: 1 });
    expect((await t.studio.items.list({ projectUid: before.project.uid })).map((item) => item.id)).toEqual([
      first,
      second,
    ]);
    expect(harness.service.count(/create-output|create-transaction|token\/v1\/submit/)).toBe(asked);
  });

  it('of a service is minted directly while no service is set, and by its service afterwards', async () => {
    const { project, itemIds } = await harness.ready(2, withService());
    await harness.close();
    const alone = await harness.start(withoutService);
    expect(await alone.studio.projects.list()).toMatchObject([
      { uid: project.uid, service: project.service, direct: true },
    ]);
    const direct = await proven(alone, await approved(alone, itemIds.slice(0, 1)));
    expect(direct.direct).toBe(true);
    await harness.close();
    const again = await harness.start(withService());
    expect(await again.studio.projects.list()).toMatchObject([{ uid: project.uid, direct: false }]);
    expect((await mint(again, itemIds.slice(1))).direct).toBe(false);
  });

  it('of another service is shown beside those of the one in use', async () => {
    const { project } = await harness.ready(1, withService());
    await harness.close();
    const port = new URL(harness.service.url).port;
    const t = await harness.start({ baseUrl: `http://localhost:${port}/token/v1` });
    const made = await t.studio.projects.create({ name: 'New', type: 'single' });
    // the same service under another address lists it too, so it counts as its own
    expect((await t.studio.projects.list()).map(({ uid, service }) => [uid, service])).toEqual([
      [made.uid, `localhost:${port}`],
      [project.uid, `localhost:${port}`],
    ]);
    harness.service.projects.delete(project.uid);
    await harness.close();
    const back = await harness.start(withService());
    expect((await back.studio.projects.list()).map(({ uid }) => uid)).toEqual([made.uid, project.uid]);
  });

  it('can be made on this computer where a token service is set', async () => {
    const t = await harness.start();
    const made = await t.studio.projects.create({ name: 'Mine', type: 'single', local: true });
    expect(made).toMatchObject({ service: null, direct: true });
    expect(await t.studio.projects.list()).toEqual([made]);
    expect(harness.service.count(/project\/create/)).toBe(0);
  });

  it('of an earlier version is one of the token service', async () => {
    const { studio, store, project } = await harness.ready(1);
    await store.db.updateTable('studio_projects').set({ service: '' }).execute();
    expect(await studio.projects.get(project)).toMatchObject({ service: '', direct: false });
    expect(await studio.projects.list()).toMatchObject([{ service: 'sandbox', direct: false }]);
  });

  it('of this computer is listed also while the service refuses the key', async () => {
    const { project } = await harness.ready(1, withoutService);
    await harness.close();
    const t = await harness.start({ ...withService(), apiKey: 'wrong' });
    expect((await t.studio.projects.list()).map(({ uid }) => uid)).toEqual([project.uid]);
    await expect(t.studio.projects.create({ name: 'More', type: 'single' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });
});

describe('a key that belongs to a run', () => {
  it('gives the same run whether it is asked for as direct or not', async () => {
    const t = await openCollection(harness, 1, withoutService);
    const request = { projectUid: t.projectUid, destination: OWN_ADDRESS, idempotencyKey: randomUUID() };
    const { id } = await t.studio.runs.create(request);
    expect((await t.studio.runs.create({ ...request, direct: true })).id).toBe(id);
  });
});
