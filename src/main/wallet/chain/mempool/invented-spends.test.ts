import { beforeEach, describe, expect, it } from 'vitest';
import {
  hash160,
  inscriptionScript,
  parseP2pkh,
  satoshis,
  serializeTx,
  type Tx,
  txidOf,
} from '../../../../chain/index.ts';
import { walletMigrations } from '../../migrations.ts';
import {
  FOREIGN_SCRIPT,
  other,
  outpointOf,
  payment,
  spending,
  UNKNOWN_OUTPOINT,
  withScript,
} from '../../test-support/test-node.ts';
import { type Harness, NO_FEE, WalletOfTest } from '../../test-support/test-wallet.ts';
import type { Wallet } from '../../wallet.ts';
import { historyOf } from '../../wallet-lists.ts';

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

const { own, look, balance, known, lists } = opened;

describe('a spend of our coin that a node invents', () => {
  let funding: Tx;
  beforeEach(async () => {
    funding = payment(own(9_000));
    harness.node.mine([funding]);
    await wallet.start();
    expect(balance()).toMatchObject({ spendable: 9_000 });
  });

  it('with a worthless unlocking script leaves the coin unspent', async () => {
    const bare = spending([outpointOf(funding)], other(8_000));
    const scripts = [Uint8Array.of(), Uint8Array.of(0x51), Uint8Array.of(0x51, 0x51), new Uint8Array(300).fill(0x6a)];
    await lists(...scripts.map((script) => withScript(bare, script)));
    expect(balance()).toMatchObject({ total: 9_000, spendable: 9_000 });
    expect(await wallet.reserve('job', satoshis(1_000), NO_FEE)).toHaveLength(1);
    expect(historyOf(wallet.open().coinStore, new Map())).toHaveLength(1);
  });

  it('whose signature of ours takes too long to check is decided by a later pass', async () => {
    const { scripts } = harness;
    let isSlow = true;
    harness.scripts = async (tx, spent) =>
      isSlow ? { ok: false, reason: 'too-long-validation-time', input: 0 } : scripts(tx, spent);
    wallet = await opened.restart();
    await wallet.start();
    const moved = opened.signed(spending([outpointOf(funding)], own(8_000)), funding);
    await lists(moved);
    expect(known(moved)).toBe(false);
    expect(balance()).toMatchObject({ total: 9_000, spendable: 9_000 });
    isSlow = false;
    await look();
    expect(known(moved)).toBe(true);
    expect(balance()).toMatchObject({ total: 8_000, spendable: 8_000 });
  });

  it('with a signature over something else leaves the coin unspent', async () => {
    const signed = opened.signed(spending([outpointOf(funding)], own(8_000)), funding);
    const script = signed.inputs[0]?.script as Uint8Array;
    await lists(withScript(spending([outpointOf(funding)], other(8_000)), script));
    expect(balance()).toMatchObject({ total: 9_000, spendable: 9_000 });
  });

  it('among inputs that nobody knows leaves the coin unspent', async () => {
    await lists(spending([UNKNOWN_OUTPOINT, outpointOf(funding)], other(8_000)));
    expect(balance()).toMatchObject({ total: 9_000, spendable: 9_000 });
  });

  it('releases no reservation and drops no payment of ours', async () => {
    const coins = await wallet.reserve('send:1', satoshis(4_000), NO_FEE);
    await lists(spending([outpointOf(funding)], other(8_000)));
    expect(wallet.reserved('send:1')).toEqual(coins);
    const ours = spending(coins, own(8_500));
    await wallet.observe(serializeTx(ours));
    await lists(ours, spending([outpointOf(funding)], other(7_000)));
    expect(balance()).toMatchObject({ total: 8_500, spendable: 8_500 });
    expect(known(ours)).toBe(true);
  });

  it('of a long inscription leaves it unspent, whether the node has its transaction or not', async () => {
    const pubKeyHash = parseP2pkh(wallet.lockingScript()) as Uint8Array;
    const script = inscriptionScript({ pubKeyHash, contentType: 'image/png', content: new Uint8Array(5_000), map: {} });
    const token = payment({ script, satoshis: 1 });
    harness.node.mine([token]);
    await look();
    expect(balance().tokens).toBe(1);
    await lists(spending([outpointOf(token)], other(1)));
    harness.node.lie = (method, [first]) =>
      method === 'getrawtransaction' && first === txidOf(token) ? 'not hex' : undefined;
    await lists(spending([outpointOf(token)], { script: FOREIGN_SCRIPT, satoshis: 0 }));
    expect(balance().tokens).toBe(1);
    harness.node.lie = () => undefined;
    await lists(opened.signed(spending([outpointOf(token)], { script: p2pkhOfNobody, satoshis: 1 }), token));
    expect(balance().tokens).toBe(0);
  });

  it('that an earlier version believed is undone by the update', async () => {
    const { db } = harness.store;
    const invented = spending([outpointOf(funding)], own(8_000));
    await wallet.observe(serializeTx(invented));
    harness.node.mempool = [invented];
    expect(balance()).toMatchObject({ spendable: 8_000 });
    await wallet.stop();
    await db.schema.alterTable('wallet_pending').dropColumn('unproven').execute();
    await walletMigrations.find(({ name }) => name === 'wallet-0016-unproven')?.up(db);
    wallet = await opened.restart();
    await wallet.start();
    expect(balance()).toMatchObject({ total: 9_000, spendable: 9_000 });
  });
});

describe('a spend of our coin with our signature', () => {
  it('made elsewhere counts at once, and its change can be spent', async () => {
    const funding = payment(own(9_000));
    harness.node.mine([funding]);
    await wallet.start();
    await lists(opened.signed(spending([outpointOf(funding)], own(7_000), other(1_900)), funding));
    expect(balance()).toMatchObject({ total: 7_000, unconfirmed: 7_000, spendable: 7_000 });
  });

  it('beside inputs that nobody knows counts, and what it pays to us waits', async () => {
    const [funding, foreign] = [payment(own(9_000)), spending([UNKNOWN_OUTPOINT], own(500))];
    harness.node.mine([funding]);
    await wallet.start();
    // the second input pays our key as well, so that it can be signed, but the node does not have it
    const tx = spending([outpointOf(funding), outpointOf(foreign)], own(7_000));
    await lists(opened.signed(tx, funding, foreign));
    expect(balance()).toMatchObject({ total: 7_000, waiting: 7_000, spendable: 0 });
  });

  it('of our own making stays as it is, whatever the node lists', async () => {
    harness.node.mine([payment(own(9_000))]);
    await wallet.start();
    const ours = spending(await wallet.reserve('send:1', satoshis(4_000), NO_FEE), own(8_000));
    await wallet.observe(serializeTx(ours));
    await lists(ours);
    harness.node.mine();
    await look();
    wallet = await opened.restart();
    await wallet.start();
    expect(balance()).toMatchObject({ total: 8_000, spendable: 8_000 });
  });
});

const p2pkhOfNobody = FOREIGN_SCRIPT.with(3, hash160(Uint8Array.of(1))[0] as number);
