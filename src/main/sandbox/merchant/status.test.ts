import { expect, it } from 'vitest';
import { fromHex, subsidyAt } from '../../../chain/index.ts';
import { makeBlock, serializeNewBlock } from '../node/consensus/blocks.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';

it('the merchant API reports mixed results while two branches have equal length', async () => {
  const sandbox = await TestSandbox.open();
  try {
    const { txid } = await sandbox.coin();
    const { node } = sandbox.service;
    const { hash: previousHash, height, medianTime } = node.chainTip();
    await sandbox.service.mine({ blocks: 1 });
    const status = async () => JSON.parse((await sandbox.mapi('GET', `/tx/${txid}`)).body.payload);
    expect((await status()).returnResult).toBe('success');
    const rival = makeBlock({
      height: height + 1,
      previousHash,
      time: medianTime + 1,
      payTo: fromHex('51'),
      reward: subsidyAt(height + 1),
      transactions: [],
      extraNonce: 7,
    });
    expect(await node.submitBlock(serializeNewBlock(rival).raw)).toMatchObject({ ok: true, active: false });
    expect(await status()).toMatchObject({ returnResult: 'failure', resultDescription: 'Mixed results' });
    await sandbox.service.mine({ blocks: 1 });
    expect(await status()).toMatchObject({ returnResult: 'success', confirmations: 2 });
  } finally {
    await sandbox.remove();
  }
});
