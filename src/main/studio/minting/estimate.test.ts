import { describe, expect, it } from 'vitest';
import { P2PKH_INPUT_BYTES, satoshis, type Utxo } from '../../../chain/index.ts';
import { mintStates } from '../../../contract/index.ts';
import type { CoinsFrom, ReserveOptions } from '../../ports/wallet.ts';
import { OWN_ADDRESS } from '../test-support/file-wallet.ts';
import { approved, MintHarness, mint, png, reach } from '../test-support/mint-harness.ts';
import { addItem } from '../test-support/test-studio.ts';

const harness = MintHarness.forTests();

/** Coins of the wallet; it cannot sign for them. */
const coins = (count: number, value: number, txid: string): Utxo[] =>
  Array.from({ length: count }, (_, vout) => ({
    ...{ txid: txid.repeat(32), vout, satoshis: satoshis(value) },
    lockingScript: new Uint8Array(25),
  }));

describe('an estimate', () => {
  it('predicts the size and fee of the signed transaction', async () => {
    const t = await harness.ready(2);
    const estimate = await t.studio.mint.estimate({ itemIds: t.itemIds, destination: OWN_ADDRESS });
    expect(estimate).toMatchObject({ tokens: 2, spendable: 110_000, quotaAvailable: 100, problems: [] });
    const { id } = await mint(t, t.itemIds);
    const { review } = await reach(t, id, (job) => job.awaitingApproval);
    expect(review).toMatchObject({ size: estimate.size, fee: estimate.fee });
    expect(estimate.total).toBe(estimate.fee + 2);
  });

  it('counts no coin that costs more to spend than it is worth, and every coin that pays in its fee', async () => {
    const t = await harness.ready(1);
    const itemIds = t.itemIds;
    const estimate = () => t.studio.mint.estimate({ itemIds, destination: OWN_ADDRESS });
    const { spendable, size } = await estimate();
    t.wallet.add(coins(1_000, 20, 'dd'));
    expect(await estimate()).toMatchObject({ spendable, size, problems: [] });
    // Two coins pay, each of which is too little alone.
    await t.wallet.reserve('elsewhere', satoshis(spendable - 1_000), () => satoshis(0));
    expect(await estimate()).toMatchObject({
      spendable: 0,
      problems: [{ id: 'wallet.funds-set-aside', code: 'funds-insufficient', values: { aside: spendable } }],
    });
    t.wallet.add(coins(2, 250, 'ee'));
    expect(await estimate()).toMatchObject({ spendable: 500, size: size + P2PKH_INPUT_BYTES, problems: [] });
  });

  it('counts coins of the main address alone where a token service builds, and so does the mint', async () => {
    const t = await harness.ready(1);
    const [everywhere, reserve] = [t.wallet.worth.bind(t.wallet), t.wallet.reserve.bind(t.wallet)];
    const froms: (CoinsFrom | undefined)[] = [];
    t.wallet.worth = (feeFor, from?: CoinsFrom) => (from === 'main' ? 0 : everywhere(feeFor));
    t.wallet.reserve = (owner, total, feeFor, options?: ReserveOptions) => {
      froms.push(options?.from);
      return reserve(owner, total, feeFor);
    };
    const target = { itemIds: t.itemIds, destination: OWN_ADDRESS };
    expect(await t.studio.mint.estimate(target)).toMatchObject({
      direct: false,
      spendable: 0,
      problems: [{ id: 'wallet.funds-elsewhere' }],
    });
    const project = { projectUid: t.project.uid, destination: OWN_ADDRESS };
    expect((await t.studio.runs.plan(project)).problems).toMatchObject([{ id: 'wallet.funds-elsewhere' }]);
    const direct = await t.studio.runs.plan({ ...project, direct: true });
    expect(direct).toMatchObject({ spendable: 110_000, problems: [] });
    t.wallet.worth = everywhere;
    const { id } = await mint(t, t.itemIds);
    await reach(t, id, (job) => job.awaitingApproval);
    expect(froms).toEqual(['main']);
  });

  it('names who gets a share of later sales, each receiver once', async () => {
    const t = await harness.ready(2);
    const royalties = [{ destination: OWN_ADDRESS, percentage: '0.05' }];
    for (const id of t.itemIds)
      await t.studio.items.update({ id, metadata: { name: 'Moon', description: '', traits: [], royalties } });
    const estimate = await t.studio.mint.estimate({ itemIds: t.itemIds, destination: OWN_ADDRESS });
    expect(estimate).toMatchObject({ royalties, problems: [] });
  });

  it('says how many of its files are tokens already, and of which project', async () => {
    const t = await harness.ready(2);
    const { uid } = await t.studio.projects.create({ name: 'Again', type: 'single' });
    const itemIds: string[] = [];
    for (const text of ['picture 0', 'another']) itemIds.push((await addItem(t, uid, png(text))).id);
    const repeats = async (ids: string[]) =>
      (await t.studio.mint.estimate({ itemIds: ids, destination: OWN_ADDRESS })).repeats;
    expect(await repeats(itemIds)).toEqual([]);
    const id = await approved(t, t.itemIds);
    await reach(t, id, ({ state }) => mintStates.is(state, 'submitted'));
    expect(await repeats(itemIds)).toEqual([{ projectUid: t.project.uid, projectName: 'Pictures', files: 1 }]);
    expect(await repeats(itemIds.slice(1))).toEqual([]);
  });

  it('names every problem without throwing, and nothing is journalled', async () => {
    const t = await harness.start({ settings: { maxFeeSatoshis: 10 } });
    const project = await t.studio.projects.create({ name: 'Poor', type: 'single' });
    const { id } = await addItem(t, project.uid, png('x'));
    harness.service.quota.totalUsed = 106;
    const codes = async (destination: string) =>
      (await t.studio.mint.estimate({ itemIds: [id], destination })).problems.map(({ code }) => code);
    const main = '1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i';
    expect(await codes(main)).toEqual([
      'address-wrong-network',
      'funds-insufficient',
      'fee-too-high',
      'quota-exceeded',
    ]);
    const { problems } = await t.studio.mint.estimate({ itemIds: [id], destination: main });
    expect(problems.find(({ code }) => code === 'quota-exceeded')?.values).toMatchObject({ available: 0, tokens: 1 });
    expect((await codes('nonsense'))[0]).toBe('address-invalid');
    await expect(mint(t, [id], main)).rejects.toMatchObject({ code: 'address-wrong-network' });
    await harness.service.stop();
    expect(await codes(OWN_ADDRESS)).toContain('upstream-unreachable');
    // a party that does not answer does not prevent a mint; other problems do
    await expect(mint(t, [id])).rejects.toMatchObject({ code: 'funds-insufficient' });
    expect(t.studio.jobs()).toEqual([]);
    await harness.service.start();
  });
});
