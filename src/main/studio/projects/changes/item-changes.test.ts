import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item, ItemMetadata } from '../../../../contract/index.ts';
import { OWN_ADDRESS } from '../../test-support/file-wallet.ts';
import { API_KEY, TestService } from '../../test-support/test-service.ts';
import { addItem, openStudio, type TestStudio } from '../../test-support/test-studio.ts';

let service: TestService;
let dataDir: string;
let t: TestStudio;
let projectUid: string;

beforeEach(async () => {
  service = new TestService();
  await service.start();
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-changes-'));
  t = await openStudio({ dataDir, url: service.url });
  projectUid = (await t.studio.projects.create({ name: 'Rings', type: 'collection' })).uid;
});

afterEach(async () => {
  await t.close();
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const items = (): Promise<Item[]> => t.studio.items.list({ projectUid });

/** A collection token and items with these eyes, numbered from 1. */
async function collection(...eyes: string[]): Promise<Item[]> {
  await addItem(t, projectUid, Buffer.from('cover'), 'Cover', 'cover.txt');
  const changes: { id: string; metadata: ItemMetadata }[] = [];
  for (const [index, value] of eyes.entries()) {
    const { id } = await addItem(t, projectUid, Buffer.from(`${index}`), `Ring ${index + 1}`, 'a.txt');
    const traits = [{ name: 'Eyes', value }];
    changes.push({ id, metadata: { name: `Ring ${index + 1}`, description: '', traits, mintNumber: index + 1 } });
  }
  return t.studio.items.updateMany({ changes });
}

describe('changes to many items', () => {
  it('are made together, and update trait shares and counts', async () => {
    const made = await collection('green', 'blue');
    expect(made.map(({ metadata }) => metadata.traits[0]?.occurrencePercent)).toEqual(['50', '50']);
    const changes = made.map(({ id, metadata }) => ({
      id,
      metadata: { ...metadata, traits: [{ name: 'Eyes', value: 'red' }] },
    }));
    const changed = await t.studio.items.updateMany({ changes });
    expect(changed.map(({ metadata }) => metadata.traits[0]?.occurrencePercent)).toEqual(['100', '100']);
    expect((await items())[0]?.metadata.collection).toMatchObject({ quantity: 2, traits: [{ name: 'Eyes' }] });
    await t.studio.items.remove({ ids: [made[0]?.id ?? ''] });
    expect((await items())[0]?.metadata.collection).toMatchObject({ quantity: 1 });
  });

  it('are told before a mint where a restored draft has the number of another by now', async () => {
    const [one, two] = (await collection('green', 'blue')) as [Item, Item];
    await t.studio.items.remove({ ids: [one.id] });
    await t.studio.items.update({ id: two.id, metadata: { ...two.metadata, mintNumber: 1 } });
    await t.studio.items.restore({ ids: [one.id] });
    const told = async () => {
      const plan = await t.studio.runs.plan({ projectUid, destination: OWN_ADDRESS });
      const estimate = await t.studio.mint.estimate({ itemIds: [two.id], destination: OWN_ADDRESS });
      return [...plan.problems, ...estimate.problems].map(({ id }) => id).filter((id) => id === 'mint.number-taken');
    };
    expect(await told()).toEqual(['mint.number-taken', 'mint.number-taken']);
    await t.studio.items.update({ id: one.id, metadata: { ...one.metadata, mintNumber: 2 } });
    expect(await told()).toEqual([]);
  });

  it('are all refused if one of them cannot be made', async () => {
    const [one, two] = (await collection('green', 'blue')) as [Item, Item];
    const before = await items();
    const twice = { id: two.id, metadata: { ...two.metadata, mintNumber: 1 } };
    await expect(
      t.studio.items.updateMany({ changes: [{ id: one.id, metadata: { ...one.metadata, name: 'X' } }, twice] }),
    ).rejects.toMatchObject({ id: 'mint.number-taken' });
    const unknown = { id: 'none', metadata: one.metadata };
    await expect(
      t.studio.items.updateMany({ changes: [{ id: one.id, metadata: { ...one.metadata, name: 'X' } }, unknown] }),
    ).rejects.toMatchObject({ code: 'not-found' });
    expect(await items()).toEqual(before);
  });

  it('leave a rank that a person gave, and compute no others then', async () => {
    const [one] = (await collection('green', 'blue')) as [Item];
    const ranked = { ...one.metadata, rank: 9, rarityLabel: 'Mythic', rankComputed: true as const };
    const [changed] = await t.studio.items.updateMany({ changes: [{ id: one.id, metadata: ranked }] });
    expect(changed?.metadata).toMatchObject({ rank: 9, rarityLabel: 'Mythic' });
    expect(changed?.metadata.rankComputed).toBeUndefined();
    expect((await items())[2]?.metadata.rank).toBeUndefined();
  });

  it('put drafts in another order, with their numbers if that is asked', async () => {
    const [one, two, three] = (await collection('green', 'blue', 'red')) as [Item, Item, Item];
    const shown = async () => (await items()).map(({ metadata }) => `${metadata.name} ${metadata.mintNumber ?? ''}`);
    await t.studio.items.reorder({ projectUid, ids: [three.id, one.id, two.id], renumber: false });
    expect(await shown()).toEqual(['Cover ', 'Ring 3 3', 'Ring 1 1', 'Ring 2 2']);
    await t.studio.items.reorder({ projectUid, ids: [three.id, one.id], renumber: true });
    expect(await shown()).toEqual(['Cover ', 'Ring 3 1', 'Ring 1 3', 'Ring 2 2']);
    await expect(t.studio.items.reorder({ projectUid: 'p', ids: [one.id], renumber: false })).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});

describe('outputs at the token service', () => {
  const create = async (name: string, subType: string): Promise<string> => {
    const response = await fetch(`${service.url}/token/v1/token/one-sat-ord/create-output`, {
      method: 'POST',
      headers: { apikey: API_KEY },
      body: JSON.stringify({
        projectUid,
        contentType: 'text/plain',
        b64File: 'YQ==',
        metadata: { name, subType, type: 'ord' },
      }),
    });
    return ((await response.json()) as { data: { uid: string } }).data.uid;
  };

  it('are listed with both filters', async () => {
    const cover = await create('Cover', 'collection');
    const used = await create('Used', 'collectionItem');
    const free = await create('Free', 'collectionItem');
    Object.assign(service.outputs.get(used) ?? {}, { transactionUid: 't', txId: 'ab' });
    const uids = async (filter = {}) => (await t.studio.outputs.list({ projectUid, filter })).map(({ uid }) => uid);
    expect(await uids()).toEqual([cover, used, free]);
    expect(await uids({ type: 'collectionItem' })).toEqual([used, free]);
    expect(await uids({ onChain: true })).toEqual([used]);
    expect(await uids({ onChain: false, type: 'collectionItem' })).toEqual([free]);
    const states = (await t.studio.outputs.list({ projectUid })).map(({ state }) => state);
    expect(states).toEqual(['unused', 'on-chain', 'unused']);
    expect(await t.studio.outputs.list({ projectUid, filter: { onChain: true } })).toMatchObject([
      { name: 'Used', subType: 'collectionItem', contentType: 'text/plain', state: 'on-chain', inMint: false },
    ]);
  });

  it('are made alone, of a stored file with its type and further metadata', async () => {
    const content = Buffer.from('a tide of its own');
    const { uploadId } = await t.studio.files.begin({
      name: 'tide.txt',
      bytes: content.length,
      contentType: 'text/x-tide',
    });
    await t.studio.files.append({ uploadId, offset: 0, piece: new Blob([new Uint8Array(content)]) });
    const { sha256 } = await t.studio.files.finish({ uploadId });
    const subTypeData = '{"collectionId":"","mintNumber":7}';
    const made = { projectUid, sha256, subType: 'collectionItem' as const, name: 'Tide' };
    const { uid } = await t.studio.outputs.create({ ...made, subTypeData });
    expect(service.outputs.get(uid)).toMatchObject({
      contentType: 'text/x-tide',
      metadata: { name: 'Tide', type: 'ord', subType: 'collectionItem', subTypeData, description: 'Tide' },
    });
    const usual = await t.studio.outputs.create({ ...made, subType: 'collection', description: 'Low water' });
    expect(service.outputs.get(usual.uid)?.metadata.subTypeData).toBe('{"description":"Low water"}');
    expect(await t.studio.outputs.list({ projectUid })).toMatchObject([
      { uid, name: 'Tide', state: 'unused', inMint: false },
      { uid: usual.uid, subType: 'collection' },
    ]);
    for (const wrong of ['[1]', '{', '"a"']) {
      const refused = t.studio.outputs.create({ ...made, subTypeData: wrong });
      await expect(refused).rejects.toMatchObject({ id: 'mint.metadata-invalid' });
    }
    expect(service.outputs.size).toBe(2);
    expect(await t.studio.items.list({ projectUid })).toEqual([]);
  });

  it('are renamed and deleted while they are unused, and not later', async () => {
    const free = await create('Free', 'collectionItem');
    await t.studio.outputs.update({ projectUid, uid: free, name: 'Freer' });
    expect(service.outputs.get(free)?.metadata).toEqual({ name: 'Freer', subType: 'collectionItem', type: 'ord' });
    await t.studio.outputs.remove({ projectUid, uid: free });
    expect(service.outputs.size).toBe(0);
    await expect(t.studio.outputs.remove({ projectUid, uid: free })).rejects.toMatchObject({
      id: 'mint.output-missing',
    });
    const used = await create('Used', 'collectionItem');
    Object.assign(service.outputs.get(used) ?? {}, { transactionUid: 't' });
    await expect(t.studio.outputs.remove({ projectUid, uid: used })).rejects.toMatchObject({
      id: 'mint.output-in-use',
    });
    await expect(t.studio.outputs.update({ projectUid, uid: used, name: 'X' })).rejects.toMatchObject({
      id: 'mint.output-in-use',
    });
    expect(service.outputs.size).toBe(1);
  });
});
