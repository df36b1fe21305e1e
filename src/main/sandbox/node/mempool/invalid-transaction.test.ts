import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { satoshis, serializeTx, type Tx, txidOf, type Utxo } from '../../../../chain/index.ts';
import { foreignBlock } from '../test-support/foreign-block.ts';
import { lockingScriptOf, openTestNode, otherKey, START, type TestNode, walletKey } from '../test-support/open-node.ts';
import { coinOf, spend } from '../test-support/spend.ts';
import type { SubmitOptions } from '../types.ts';
import { invalidTransaction } from './invalid-transaction.ts';

const other = lockingScriptOf(otherKey);
const COIN = 5_000_000_000;
const FLAGS = [
  'isInvalid',
  'isValidationError',
  'isMissingInputs',
  'isDoubleSpendDetected',
  'isMempoolConflictDetected',
  'isNonFinal',
  'isValidationTimeoutExceeded',
  'isStandardTx',
] as const;

type Message = Record<(typeof FLAGS)[number], boolean> & {
  fromBlock: boolean;
  source?: string;
  txid: string;
  rejectionCode: number;
  rejectionReason: string;
};

let opened: TestNode;
let coin: Utxo;
let told: Message[];
async function open(options: Parameters<typeof openTestNode>[0] = {}): Promise<void> {
  opened = await openTestNode(options);
  coin = await coinOf(opened.node, walletKey);
  told = [];
  opened.node.onRefused((refused) => told.push(invalidTransaction(refused) as Message));
}
beforeEach(() => open());
afterEach(() => opened.remove());

const pay = (amount: number, parts: Partial<Tx> = {}): Tx =>
  spend([coin], walletKey, [{ satoshis: amount, script: other }], parts);
/** Waits for a time that never comes in a test. */
const locked = (sequence: number): Partial<Tx> => ({
  lockTime: 2_000_000_000,
  inputs: [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence }],
});

/** The flags that are set, with source, code and reason, of the one transaction that is refused. */
async function refusal(tx: Tx, options: SubmitOptions = {}): Promise<string> {
  told = [];
  await opened.node.submit(serializeTx(tx), options);
  expect(told.map(({ txid }) => txid)).toEqual([txidOf(serializeTx(tx))]);
  return told.map(summary).join();
}

function summary(message: Message): string {
  const { source = 'block', rejectionCode, rejectionReason } = message;
  const flags = FLAGS.filter((flag) => message[flag]).map((flag) => flag.slice(2));
  return `${source} ${flags.join(' ')} ${rejectionCode} ${rejectionReason}`.trim();
}

describe('a transaction refused on its own', () => {
  it('is reported with flags, code and reason', async () => {
    expect(await refusal(pay(COIN + 1))).toBe('rpc Invalid StandardTx 16 bad-txns-in-belowout');
    expect(await refusal(pay(COIN))).toBe('rpc Invalid StandardTx 66 mempool min fee not met');
    expect(await refusal({ ...pay(COIN - 1_000), outputs: [] })).toBe('rpc Invalid 16 bad-txns-vout-empty');
    expect(await refusal({ ...pay(COIN - 1_000), version: 3 })).toBe('rpc Invalid 64 version');
    expect(await refusal(pay(0))).toBe('rpc Invalid 64 dust');
    const ghost = { ...coin, txid: 'ab'.repeat(32) };
    const orphan = spend([ghost], walletKey, [{ satoshis: 1_000, script: other }]);
    expect(await refusal(orphan)).toBe('rpc Invalid MissingInputs StandardTx 0');
  });

  it('counts as standard by its outputs only', async () => {
    const odd = Uint8Array.of(0x51);
    const dear = (script: Uint8Array) => spend([coin], walletKey, [{ satoshis: COIN + 1, script }]);
    expect(await refusal(dear(odd))).toBe('rpc Invalid 16 bad-txns-in-belowout');
    const keys = (count: number) =>
      Uint8Array.from([
        0x51,
        ...Array.from({ length: count }, () => [33, 2, ...Array(32).fill(7)]).flat(),
        0x50 + count,
        0xae,
      ]);
    expect(await refusal(dear(keys(3)))).toContain('StandardTx');
    expect(await refusal(dear(keys(4)))).not.toContain('StandardTx');
  });

  it('is reported with its conflict, and whether both arrived at the same time', async () => {
    const [first, second, third] = [pay(COIN - 1_000), pay(COIN - 2_000), pay(COIN - 3_000)];
    await opened.node.submitBatch([first, second].map(serializeTx));
    expect(await refusal(third)).toBe('rpc Invalid MempoolConflictDetected StandardTx 258 txn-mempool-conflict');
    await opened.remove();
    await open();
    const results = await opened.node.submitBatch([first, second].map(serializeTx));
    expect(results.map(({ ok }) => ok)).toEqual([true, false]);
    expect(told.map(summary)).toEqual(['rpc Invalid DoubleSpendDetected StandardTx 18 txn-double-spend-detected']);
  });

  it('is reported as non-final, whatever else is wrong', async () => {
    expect(await refusal(pay(COIN + 1, locked(1)))).toBe('rpc Invalid NonFinal StandardTx 16 bad-txns-in-belowout');
    expect(await opened.node.submit(serializeTx(pay(COIN - 1_000, locked(5))))).toMatchObject({ nonFinal: true });
    expect(await refusal(pay(COIN - 2_000, locked(4)))).toBe('rpc Invalid NonFinal StandardTx 16 bad-txn-update');
  });

  it('is reported as timed out if its scripts take too long', async () => {
    await opened.remove();
    await open({ verify: async () => ({ ok: false, input: 0, reason: 'too-long-validation-time' }) });
    const expected = 'rpc Invalid ValidationTimeoutExceeded StandardTx 64 too-long-validation-time';
    expect(await refusal(pay(COIN - 1_000))).toBe(expected);
  });

  it('is reported with its source', async () => {
    expect(await refusal(pay(COIN), { source: 'p2p' })).toMatch(/^p2p /);
    await opened.remove();
    let works = true;
    await open({ verify: async () => (works ? { ok: true } : { ok: false, input: 0, reason: 'a change of mind' }) });
    await opened.node.submit(serializeTx(pay(COIN - 1_000, { ...locked(5), lockTime: START / 1000 + 60 })));
    works = false;
    // the lock time comes, and with it another look at the scripts
    opened.clock.advance(24 * 3_600_000);
    await opened.node.mine(11);
    expect(told.map(summary)).toEqual([
      'finalised Invalid StandardTx 16 mandatory-script-verify-flag-failed (a change of mind)',
    ]);
  });

  it('is not reported if it was accepted and then evicted: that is a removal', async () => {
    await opened.remove();
    await open({ limits: { maxBytes: 100 } });
    const removed: string[] = [];
    opened.node.onRemoved(({ txid, reason }) => removed.push(`${txid} ${reason}`));
    const tx = serializeTx(pay(COIN - 1_000));
    expect(await opened.node.submit(tx)).toMatchObject({ code: 66, reason: 'mempool full' });
    expect(removed).toEqual([`${txidOf(tx)} mempool-sizelimit-exceeded`]);
    expect(told).toEqual([]);
  });
});

describe('a transaction refused as part of a block', () => {
  async function refusedBlock(parts: Parameters<typeof foreignBlock>[2]): Promise<Message[]> {
    const { node } = opened;
    told = [];
    const tip = node.tip();
    const block = await foreignBlock(node, tip.hash, parts);
    expect(await node.submitBlock(block.raw)).toMatchObject({ ok: false, hash: block.hash });
    expect(node.tip()).toEqual(tip);
    for (const message of told) {
      expect(message).toMatchObject({
        fromBlock: true,
        origins: [{ source: 'submitblock' }],
        blockhash: block.hash,
        blockheight: 121,
        blocktime: expect.any(Number),
      });
      expect(Object.keys(message).slice(0, 6).join(' ')).toBe('fromBlock origins blockhash blocktime blockheight txid');
    }
    return told;
  }

  it('is reported with the block, its origin, and the broken rule', async () => {
    const cases: [Tx, string][] = [
      [pay(COIN - 1_000, locked(5)), 'block Invalid NonFinal 16 bad-txns-nonfinal'],
      [pay(COIN + 1), 'block Invalid 16 bad-txns-in-belowout'],
      [{ ...pay(COIN), outputs: [] }, 'block Invalid 16 bad-txns-vout-empty'],
      [
        spend([{ ...coin, txid: 'ab'.repeat(32) }], walletKey, [{ satoshis: 1, script: other }]),
        'block Invalid 16 bad-txns-inputs-missingorspent',
      ],
    ];
    for (const [tx, expected] of cases) {
      const messages = await refusedBlock({ transactions: [serializeTx(tx)] });
      expect(messages.map(summary)).toEqual([expected]);
      expect(messages[0]?.txid).toBe(txidOf(serializeTx(tx)));
    }
    const forged = { ...pay(COIN - 1_000), outputs: [{ satoshis: satoshis(7), script: other }] };
    const [message] = await refusedBlock({ transactions: [serializeTx(forged)] });
    expect(message?.rejectionReason).toMatch(/^blk-bad-inputs \(.+\)$/);
  });

  it('is the coinbase if that claims too much, and absent if the block itself is invalid', async () => {
    const [message] = await refusedBlock({ reward: satoshis(COIN + 1) });
    expect(message && summary(message)).toBe('block Invalid 16 bad-cb-amount');
    expect(await refusedBlock({ time: 1 })).toEqual([]);
  });
});
