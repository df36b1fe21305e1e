import { describe, expect, it, vi } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { FileWallet } from '../test-support/file-wallet.ts';
import { approved, MintHarness, mint, reach } from '../test-support/mint-harness.ts';
import { until } from '../test-support/until.ts';

const harness = MintHarness.forTests();

describe('at a start', () => {
  it('a mint that waits for its approval keeps its coins', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
    const held = t.wallet.reservations();
    expect(held).not.toEqual([]);
    await harness.close();
    const again = await harness.start();
    expect(again.wallet.reservations()).toEqual(held);
    expect(again.studio.jobs()).toMatchObject([{ awaitingApproval: true }]);
  });

  it('coins of a cancelled mint are released if the program ended before that', async () => {
    const t = await harness.ready();
    const { id } = await mint(t, t.itemIds);
    const { review } = await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
    await t.studio.mint.cancel({ id });
    await t.wallet.hold(id, review?.inputs.map(({ txid, vout }) => ({ txid, vout })) ?? []);
    await harness.close();
    const again = await harness.start();
    expect(again.wallet.reservations()).toEqual([]);
  });

  it('a refused mint is noted with the wallet, one that was never signed is not', async () => {
    const t = await harness.ready(2);
    harness.service.fault(/POST .*\/submit/, 400, { message: 'tx rejected: not enough fees' });
    const refused = await approved(t, t.itemIds.slice(0, 1));
    await reach(t, refused, ({ failure }) => failure !== null);
    const unsigned = await mint(t, t.itemIds.slice(1));
    await t.studio.mint.cancel({ id: unsigned.id });
    await harness.close();
    const noted = vi.spyOn(FileWallet.prototype, 'noteSigned');
    await harness.start();
    expect(noted.mock.calls).toMatchObject([[refused, expect.any(Uint8Array)]]);
    noted.mockRestore();
  });

  it('a missing, locked or stopped wallet is passed over, while its other failures are reported', async () => {
    const t = await harness.ready();
    harness.service.fault(/POST .*\/submit/, 400, { message: 'tx rejected: not enough fees' });
    const id = await approved(t, t.itemIds);
    await reach(t, id, ({ failure }) => failure !== null);
    const noted = vi.spyOn(t.wallet, 'noteSigned');
    for (const code of ['wallet-missing', 'vault-locked', 'not-running'] as const) {
      await t.studio.stop();
      noted.mockRejectedValueOnce(new PlanchetError({ code, message: 'Not now.' }));
      await t.studio.start();
    }
    expect(noted).toHaveBeenCalledTimes(3);
    await t.studio.stop();
    noted.mockRejectedValueOnce(new PlanchetError({ code: 'store-failed', message: 'Broken.' }));
    await expect(t.studio.start()).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('a proven mint whose block was replaced meanwhile is looked for again', async () => {
    const t = await harness.ready();
    const id = await approved(t, t.itemIds);
    await reach(t, id, ({ state }) => state === 'seen');
    harness.service.chain.mine();
    t.tip.announce();
    const { blockHash } = await reach(t, id, ({ state }) => state === 'proven');
    await harness.close();
    harness.service.chain.reorg(1);
    harness.service.chain.mine();
    const again = await harness.start();
    const proven = await reach(again, id, (job) => job.state === 'proven' && job.blockHash !== blockHash);
    expect(proven.history.map(({ state }) => state).slice(-4)).toEqual(['proven', 'seen', 'mined', 'proven']);
  });
});

describe('the timers of mints', () => {
  it('are none while a person is waited for, one before a step is tried again, and none once the studio stopped', async () => {
    const clock = new StillClock(Date.parse('2026-11-22T12:00:00Z'));
    const t = await harness.ready(2, { clock });
    const timers = () => clock.next;
    const idle = timers();
    const { id } = await mint(t, t.itemIds.slice(0, 1));
    await reach(t, id, ({ awaitingApproval }) => awaitingApproval);
    await until(timers, (next) => next === idle);
    harness.service.fault(/create-output/, 503, { times: 9 });
    const failing = await mint(t, t.itemIds.slice(1));
    await reach(t, failing.id, ({ failure }) => failure !== null);
    await until(timers, (next) => next !== idle);
    await t.studio.stop();
    expect(timers() ?? idle).toBe(idle);
  });
});

describe('a stopped studio', () => {
  it('starts no step, and does not react to changes of transactions', async () => {
    const t = await harness.ready();
    const id = await approved(t, t.itemIds);
    await reach(t, id, ({ state }) => state === 'seen');
    await t.studio.stop();
    await expect(mint(t, t.itemIds)).rejects.toMatchObject({ id: 'mint.not-running' });
    harness.service.chain.mine();
    const calls = harness.service.calls.length;
    t.tip.announce();
    await until(
      () => harness.service.calls.length,
      (count) => count > calls,
    );
    expect(t.studio.jobs()).toMatchObject([{ state: 'seen' }]);
    await t.studio.start();
    t.tip.announce();
    await reach(t, id, ({ state }) => state === 'proven');
  });
});
