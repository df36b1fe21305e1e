import { beforeEach, describe, expect, it } from 'vitest';
import { satoshis, serializeHeader, serializeTx, type Tx, toHex, txidOf } from '../../../../chain/index.ts';
import { createWorkerPool } from '../../../workers/worker-pool.ts';
import {
  other,
  outpointOf,
  payment,
  spending,
  TestNode,
  UNKNOWN_OUTPOINT,
  withScript,
} from '../../test-support/test-node.ts';
import { type Harness, NO_FEE, WalletOfTest } from '../../test-support/test-wallet.ts';
import type { Wallet } from '../../wallet.ts';

/** Whoever wants may spend it, with an empty script. */
const ANYONE = { script: Uint8Array.of(0x51), satoshis: 5_000 };

const opened = new WalletOfTest();
let harness: Harness;
let wallet: Wallet;
beforeEach(() => {
  ({ harness, wallet } = opened);
});

const { own, look, balance, known, lists } = opened;

describe('a payment that a node invents', () => {
  beforeEach(() => wallet.start());

  it.each([
    ['nothing', []],
    ['the new money of a block', [{ txid: '00'.repeat(32), vout: 0xffffffff }]],
    ['one output twice', [UNKNOWN_OUTPOINT, UNKNOWN_OUTPOINT]],
  ])('and that spends %s is ignored', async (_, coins) => {
    const invented = spending(coins, own(5_000));
    await lists(invented);
    expect(balance()).toMatchObject({ total: 0 });
    expect(known(invented)).toBe(false);
  });

  it('from an output that nobody knows is shown, and not spent until a block holds it', async () => {
    const invented = spending([UNKNOWN_OUTPOINT], own(5_000), own(1));
    await lists(invented);
    expect(balance()).toMatchObject({ total: 5_000, unconfirmed: 5_000, waiting: 5_000, spendable: 0, tokens: 1 });
    await expect(wallet.reserve('job', satoshis(1_000), NO_FEE)).rejects.toMatchObject({ code: 'funds-insufficient' });
    const token = outpointOf(invented, 1);
    await expect(wallet.hold('job', [token])).rejects.toMatchObject({ code: 'conflict' });
    wallet = await opened.restart();
    expect(balance()).toMatchObject({ waiting: 5_000, spendable: 0 });
    await wallet.start();
    expect(balance()).toMatchObject({ waiting: 5_000, spendable: 0 });
    harness.node.mine([invented]);
    await look();
    expect(balance()).toMatchObject({ confirmed: 5_000, waiting: 0, spendable: 5_000 });
    await wallet.hold('job', [token]);
  });

  it('from a transaction that it invents too is not spent, whatever it says of the block', async () => {
    const parent = spending([UNKNOWN_OUTPOINT], ANYONE);
    const invented = spending([outpointOf(parent)], own(4_000));
    harness.node.lie = (method, [first, second]) => {
      if (method === 'getrawtransaction' && first === txidOf(parent)) {
        return second === true ? { blockhash: harness.node.blocks[0]?.hash } : toHex(serializeTx(parent));
      }
      return undefined;
    };
    await lists(invented);
    expect(balance()).toMatchObject({ waiting: 4_000, spendable: 0 });
    // a proof of another transaction
    const honest = payment(own(1));
    const { txid } = honest.inputs[0] as { txid: string };
    const proof = await harness.node.call<object>('getmerkleproof2', ['', txid, false, 'header']);
    for (const changed of [{}, { txOrId: txidOf(parent) }, { target: 'zz' }, { txOrId: txidOf(parent), nodes: [] }]) {
      const { lie } = harness.node;
      harness.node.lie = (method, params) =>
        method === 'getmerkleproof2' ? { ...proof, ...changed } : lie(method, params);
      harness.node.mine();
      await look();
      expect(balance()).toMatchObject({ waiting: 4_000, spendable: 0 });
    }
  });

  it('from a block that is not on the chain is not spent', async () => {
    const parent = spending([UNKNOWN_OUTPOINT], ANYONE);
    harness.node.mine([parent]);
    const proof = await harness.node.call('getmerkleproof2', ['', txidOf(parent), false, 'header']);
    const { hash } = harness.node.blocks[1] as { hash: string };
    harness.node.disconnect(1);
    harness.node.mine();
    harness.node.lie = (method, [first]) => {
      if (method === 'getmerkleproof2') return proof;
      if (method === 'getrawtransaction' && first === txidOf(parent)) return toHex(serializeTx(parent));
      return method === 'getblockheader' && first === hash ? { height: 1 } : undefined;
    };
    await lists(spending([outpointOf(parent)], own(4_000)));
    expect(balance()).toMatchObject({ waiting: 4_000, spendable: 0 });
  });

  it('from a block of which the node alone says that it is on the chain is not spent', async () => {
    const parent = spending([UNKNOWN_OUTPOINT], ANYONE);
    const invented = new TestNode(1_000);
    for (const txs of [[parent, payment(ANYONE)], []]) invented.mine(txs);
    const { hash, block } = invented.blocks[1] as (typeof invented.blocks)[number];
    const alone = spending([UNKNOWN_OUTPOINT], { ...ANYONE, satoshis: 4_999 });
    const header = { ...block.header, merkleRoot: txidOf(alone) };
    harness.node.lie = (method, params) => {
      const [first, second] = params;
      if (method === 'getmerkleproof2' && second === txidOf(parent)) return proof;
      if (method === 'getblockheader' && first === hash)
        return second === false ? toHex(serializeHeader(header)) : { height: 1 };
      if (method === 'getblockhash') return hash;
      if (method !== 'getrawtransaction') return undefined;
      const tx = [parent, alone].find((one) => txidOf(one) === first);
      return tx && (second === true ? { blockhash: hash } : toHex(serializeTx(tx)));
    };
    const proof = await invented.call('getmerkleproof2', ['', txidOf(parent), false, 'header']);
    await lists(spending([outpointOf(parent)], own(4_000)), spending([outpointOf(alone)], own(3_000)));
    expect(balance()).toMatchObject({ waiting: 7_000, spendable: 0 });
  });

  it('from bytes of another transaction is not spent', async () => {
    const parent = spending([UNKNOWN_OUTPOINT], ANYONE);
    const proven = payment(ANYONE);
    harness.node.mine([proven]);
    harness.node.lie = (method, [first, second]) => {
      if (method === 'getrawtransaction' && first === txidOf(parent) && second !== true) {
        return toHex(serializeTx(proven));
      }
      return undefined;
    };
    await lists(spending([outpointOf(parent)], own(4_000)));
    expect(balance()).toMatchObject({ waiting: 4_000, spendable: 0 });
  });

  it('under an id that is not that of its bytes is ignored', async () => {
    const honest = payment(own(5_000));
    const listed = payment(other(5_000));
    harness.node.lie = (method, [first]) =>
      method === 'getrawtransaction' && first === txidOf(listed) ? toHex(serializeTx(honest)) : undefined;
    await lists(listed);
    expect(balance()).toMatchObject({ total: 0 });
  });

  it('from 64 bytes, which may be a node of a Merkle tree, is not spent though a block holds them', async () => {
    const short = (script: Uint8Array) => spending([UNKNOWN_OUTPOINT], { script, satoshis: 5_000 });
    const [parent, longer] = [short(Uint8Array.of(0x51, 0x51, 0x51, 0x51)), short(Uint8Array.of(0x51, 0x51, 0x51))];
    expect(serializeTx(parent)).toHaveLength(64);
    harness.node.mine([parent, longer]);
    await lists(spending([outpointOf(parent)], own(4_000)), spending([outpointOf(longer)], own(3_000)));
    expect(balance()).toMatchObject({ waiting: 4_000, spendable: 3_000 });
  });

  it('that pays out more than it takes is ignored', async () => {
    const parent = payment(ANYONE);
    harness.node.mine([parent]);
    await lists(spending([outpointOf(parent)], own(5_001)));
    expect(balance()).toMatchObject({ total: 0 });
    await lists(spending([outpointOf(parent)], own(5_000)));
    expect(balance()).toMatchObject({ spendable: 5_000 });
  });

  it('whose scripts fail, or that spends an output that its parent does not have, is ignored', async () => {
    const parent = payment(other(5_000), ANYONE);
    harness.node.mine([parent]);
    const worthless = withScript(spending([outpointOf(parent)], own(4_000)), Uint8Array.of(0x51, 0x51));
    const nowhere = spending([outpointOf(parent, 2)], own(4_000));
    const second = spending([outpointOf(parent, 1), outpointOf(parent)], own(4_000));
    await lists(worthless, nowhere, second);
    expect(balance()).toMatchObject({ total: 0 });
  });

  it('that builds on an ignored one is ignored, and on an unproven one is not spent', async () => {
    const parent = payment(other(5_000));
    harness.node.mine([parent]);
    const worthless = spending([outpointOf(parent)], ANYONE);
    const unproven = spending([UNKNOWN_OUTPOINT], ANYONE);
    const child = spending([outpointOf(worthless)], own(4_000));
    const waiting = spending([outpointOf(unproven)], own(3_000));
    await lists(child, waiting, worthless, unproven);
    expect(known(child)).toBe(false);
    expect(balance()).toMatchObject({ total: 3_000, waiting: 3_000 });
  });

  it('that spends what an unproven one pays to us is not spent either', async () => {
    const unproven = spending([UNKNOWN_OUTPOINT], own(5_000));
    const moved = opened.signed(spending([outpointOf(unproven)], own(4_000)), unproven);
    await lists(moved, unproven);
    expect(balance()).toMatchObject({ total: 4_000, waiting: 4_000, spendable: 0 });
    // also where the first of them was read before
    const again = opened.signed(spending([outpointOf(moved)], own(3_000)), moved);
    await lists(unproven, moved, again);
    expect(balance()).toMatchObject({ total: 3_000, waiting: 3_000, spendable: 0 });
  });

  it('to an address that is followed only since another payment is checked as well', async () => {
    const last = wallet.keys.money.at(-1)?.lockingScript as Uint8Array;
    const count = wallet.keys.money.length;
    wallet.keys.followBehind(count - 1);
    const beyond = wallet.keys.money.at(-1)?.lockingScript as Uint8Array;
    wallet = await opened.restart();
    expect(wallet.keys.money).toHaveLength(count);
    await wallet.start();
    const ignored = spending([], { script: beyond, satoshis: 7_000 });
    const waiting = spending([UNKNOWN_OUTPOINT], { script: beyond, satoshis: 3_000 });
    await lists(ignored, waiting, payment({ script: last, satoshis: 500 }));
    expect(wallet.keys.money.length).toBeGreaterThan(count);
    expect(balance()).toMatchObject({ total: 3_500, waiting: 3_000, elsewhere: 500 });
  });
});

describe('a payment of others', () => {
  beforeEach(() => wallet.start());

  it('is spendable once a block holds what it builds on', async () => {
    const parent = spending([UNKNOWN_OUTPOINT], ANYONE);
    const paid = spending([outpointOf(parent)], own(4_000));
    await lists(paid);
    expect(balance()).toMatchObject({ waiting: 4_000 });
    harness.node.calls.length = 0;
    await look();
    expect(harness.node.calls).not.toContain('getrawtransaction');
    harness.node.mine([parent]);
    await look();
    expect(balance()).toMatchObject({ unconfirmed: 4_000, waiting: 0, spendable: 4_000 });
  });

  it('is spendable where it builds on the one transaction of a block', async () => {
    harness.node.mine([], { coinbase: ANYONE.script });
    const coinbase = harness.node.blocks[1]?.block.transactions[0] as Tx;
    await lists(spending([outpointOf(coinbase)], own(4_000)));
    expect(balance()).toMatchObject({ unconfirmed: 4_000, spendable: 4_000 });
  });

  it('is spendable on a short chain of unconfirmed ones, and waits on a long one', async () => {
    const chain = [payment(ANYONE)];
    while (chain.length < 60) chain.push(spending([outpointOf(chain.at(-1) as Tx)], ANYONE));
    const [near, far] = [20, 59].map((at) => spending([outpointOf(chain[at] as Tx)], own(1_000 + at)));
    await lists(...chain.toReversed(), near as Tx, far as Tx);
    expect(balance()).toMatchObject({ spendable: 1_020, waiting: 1_059 });
    // with a block that holds a part of it, the rest is shorter
    harness.node.mine(chain.slice(0, 40));
    await look();
    expect(balance()).toMatchObject({ spendable: 2_079, waiting: 0 });
  });

  it('with scripts that take too long waits, and they run once', async () => {
    const { verifyInputs, close } = createWorkerPool({ size: 1, limitMs: 1_500 });
    let runs = 0;
    harness.scripts = (tx, spent) => {
      runs += 1;
      return verifyInputs(tx, spent);
    };
    wallet = await opened.restart();
    await wallet.start();
    const doubled = Array.from({ length: 22 }, () => [0x76, 0x7e]).flat();
    const hashed = Array.from({ length: 500 }, () => [0x76, 0xaa, 0x75]).flat();
    const parent = payment({ script: Uint8Array.of(0x51, ...doubled, ...hashed), satoshis: 5_000 });
    harness.node.mine([parent]);
    const slow = spending([outpointOf(parent)], own(4_000));
    await lists(slow);
    expect(balance()).toMatchObject({ waiting: 4_000, spendable: 0 });
    harness.node.mine();
    await look();
    expect(runs).toBe(1);
    await close();
  });
});
