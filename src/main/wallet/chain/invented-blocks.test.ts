import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Block,
  type BlockHeader,
  headerHash,
  meetsTarget,
  merkleRoot,
  serializeBlock,
  serializeHeader,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { payment, spending, TestNode } from '../test-support/test-node.ts';
import { type Harness, NODE_NAME, WalletOfTest } from '../test-support/test-wallet.ts';
import type { Wallet } from '../wallet.ts';

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(async () => {
  ({ harness } = opened);
  await harness.requireWork();
  wallet = await opened.restart();
  harness.node.mine([payment(own(5_000))]);
  harness.node.mine();
  await wallet.start();
  expect(wallet.balance()).toMatchObject({ spendable: 5_000, confirmed: 5_000 });
});

const { own, look } = opened;
const notice = () => harness.notices.get('wallet-chain');

/** All of the coin store that a lie could change. */
function coinStore() {
  const { coins, transactions, pending, blocks, state, owners } = wallet.open().coinStore;
  return structuredClone({ coins, transactions, pending, blocks, state, owners });
}

/** The same block with other transactions. */
const withTransactions = ({ header }: Block, transactions: readonly Tx[], root?: string): Block => ({
  header: { ...header, merkleRoot: root ?? merkleRoot(transactions.map((tx) => txidOf(tx))) },
  transactions,
});

/** A header with the nonce that makes its hash meet the target, or miss it. */
function withWork(header: BlockHeader, meets = true): BlockHeader {
  let tried = header;
  while (meetsTarget(headerHash(tried), header.bits) !== meets) tried = { ...tried, nonce: tried.nonce + 1 };
  return tried;
}

/** The node says that its newest block is another one. */
function lieAboutTip(block: Block): string {
  const { header } = block;
  const hash = headerHash(header);
  const { height } = harness.node;
  harness.node.lie = (method, [first, second]) => {
    if (method === 'getbestblockhash') return hash;
    if (method === 'getblockhash' && first === height) return hash;
    if (first !== hash) return undefined;
    if (method === 'getblock') return toHex(serializeBlock(block));
    if (method !== 'getblockheader') return undefined;
    return second === false ? toHex(serializeHeader(header)) : { height };
  };
  return hash;
}

/** The wallet believes nothing, says who lied, and goes on once the node tells the truth. */
async function expectRefused(failure: object, confirmed: number): Promise<void> {
  const before = coinStore();
  for (let times = 0; times < 2; times++) {
    await look();
    expect(coinStore()).toEqual(before);
    expect(notice()).toMatchObject({ ...failure, values: { node: NODE_NAME } });
    expect(notice()?.message).toContain(NODE_NAME);
  }
  expect(harness.logged).toHaveLength(1);
  harness.node.lie = () => undefined;
  await look();
  expect(notice()).toBeUndefined();
  expect(wallet.balance()).toMatchObject({ confirmed });
  expect(wallet.open().coinStore.tip?.hash).toBe(harness.node.blocks.at(-1)?.hash);
}

describe('a block that a node invents', () => {
  it('with a payment to us in place of the newest one is refused', async () => {
    harness.node.mine([payment(own(700))]);
    const { block } = harness.node.blocks.at(-1) as { block: Block };
    const invented = withTransactions(block, [block.transactions[0] as Tx, payment(own(90_000))]);
    const header = withWork(invented.header, false);
    const hash = lieAboutTip({ ...invented, header });
    await expectRefused({ id: 'wallet.chain-refused', values: { hash, node: NODE_NAME } }, 5_700);
  });

  it.each([
    ['too little work for what it says', {}, false, 'does not show the work it asks for'],
    ['less difficulty than the chain has', { bits: 0x207ffffe }, true, 'does not have the difficulty'],
    ['a time before the blocks below', { time: 1 }, true, 'is older than those before it'],
    ['a parent that is not the tip', { previousHash: 'ab'.repeat(32) }, true, 'does not follow the one before it'],
  ])('with %s is refused', async (_, changes, meets, reason) => {
    harness.node.mine([payment(own(700))]);
    const { block } = harness.node.blocks.at(-1) as { block: Block };
    lieAboutTip({ ...block, header: withWork({ ...block.header, ...changes }, meets) });
    const message = expect.stringContaining(reason);
    await expectRefused({ id: 'wallet.chain-refused', message }, 5_700);
  });

  it.each<[string, (block: Block) => Block]>([
    ['a payment to us added', (b) => withTransactions(b, [...b.transactions, payment(own(9))], b.header.merkleRoot)],
    ['one left out', (b) => withTransactions(b, b.transactions.slice(0, 2), b.header.merkleRoot)],
    [
      'other ones in their place',
      (b) => withTransactions(b, [b.transactions[0] as Tx, payment(own(90_000))], b.header.merkleRoot),
    ],
    [
      'the last one twice, which the root does not tell',
      (b) => withTransactions(b, [...b.transactions, b.transactions[2] as Tx], b.header.merkleRoot),
    ],
    ['new money alone', (b) => withTransactions(b, b.transactions.slice(0, 1), b.header.merkleRoot)],
    ['none', (b) => ({ ...b, transactions: [] })],
  ])('under a real header with %s is refused', async (_, invent) => {
    const coin = { txid: [...wallet.open().coinStore.coins.values()][0]?.txid as string, vout: 0 };
    const spend = opened.signed(spending([coin], own(4_000)), harness.node.blocks[1]?.block.transactions[1] as Tx);
    harness.node.mine([payment(own(700)), spend]);
    const { block, hash } = harness.node.blocks.at(-1) as { block: Block; hash: string };
    expect(block.transactions).toHaveLength(3);
    harness.node.lie = (method, [first]) =>
      method === 'getblock' && first === hash ? toHex(serializeBlock(invent(block))) : undefined;
    await expectRefused({ id: 'wallet.block-refused', values: { hash, node: NODE_NAME } }, 4_700);
  });

  it.each([
    ['another one', () => toHex(serializeBlock((harness.node.blocks[0] as { block: Block }).block))],
    ['nothing', () => ''],
    ['a piece', () => 'ab'.repeat(79)],
  ])('that is %s in place of the one that was asked for is refused', async (_, answer) => {
    harness.node.mine([payment(own(700))]);
    harness.node.lie = (method) => (method === 'getblock' ? answer() : undefined);
    const hash = harness.node.blocks.at(-1)?.hash;
    await expectRefused({ id: 'wallet.other-block', values: { hash, node: NODE_NAME } }, 5_700);
  });

  it('does not take back what was scanned before it', async () => {
    harness.node.mine([payment(own(100))]);
    harness.node.mine([payment(own(20))]);
    const { block, hash } = harness.node.blocks.at(-1) as { block: Block; hash: string };
    const invented = withTransactions(block, [payment(own(3))], block.header.merkleRoot);
    harness.node.lie = (method, [first]) =>
      method === 'getblock' && first === hash ? toHex(serializeBlock(invented)) : undefined;
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 5_100 });
    expect(notice()).toMatchObject({ id: 'wallet.block-refused' });
    await expectRefused({ id: 'wallet.block-refused' }, 5_120);
  });
});

describe('a chain with less work', () => {
  it('takes nothing back, whether it is another branch or a part of this one', async () => {
    const honest = harness.node;
    const branch = new TestNode(1_000);
    branch.mine([payment(own(90_000))]);
    const part = new TestNode();
    part.blocks = honest.blocks.slice(0, -1);
    const before = coinStore();
    for (const node of [branch, part]) {
      harness.node = node;
      await look();
      await look();
      expect(coinStore()).toEqual(before);
      expect(notice()?.id).toBe(node === branch ? 'wallet.chain-refused' : undefined);
    }
    harness.node = honest;
    honest.mine([payment(own(700))]);
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 5_700 });
  });

  it('is left for one with more', async () => {
    const { blocks } = harness.node;
    const other = new TestNode(1_000);
    for (let n = 0; n < blocks.length; n++) other.mine([payment(own(100))]);
    harness.node = other;
    await look();
    expect(wallet.balance()).toMatchObject({ confirmed: 300 });
    expect(notice()).toBeUndefined();
  });
});
