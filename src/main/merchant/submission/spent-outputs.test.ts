import { describe, expect, it } from 'vitest';
import {
  type FormattedTx,
  p2pkhScript,
  readFormatted,
  runSteps,
  satoshis,
  serializeExtended,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { decodeTransaction } from './decode.ts';
import { preChecks } from './pre-checks.ts';
import type { SourceTransaction } from './read-source.ts';
import { SpentOutputs } from './spent-outputs.ts';

const script = p2pkhScript(new Uint8Array(20).fill(7));
const otherScript = p2pkhScript(new Uint8Array(20).fill(8));

function payment(txid: string, value: number, vout = 0): Tx {
  const signature = new Uint8Array(107).fill(0x51);
  return {
    version: 1,
    inputs: [{ txid, vout, script: signature, sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(value), script }],
    lockTime: 0,
  };
}

const parent = payment('ab'.repeat(32), 10_000);
const parentTxid = txidOf(parent);
const child = payment(parentTxid, 9_900);

interface Told {
  /** By the node's list of coins; `missing` for a coin that it does not list. */
  node?: { value: number; script?: Uint8Array } | 'missing' | 'away';
  /** By the transaction itself. */
  given?: { value: number; script?: Uint8Array };
  /** Whether the node hands out the parent. */
  hasParent?: boolean;
  /** Whether the parent was submitted from here. */
  own?: boolean;
  /** Whether the parent comes in the same source. */
  beside?: boolean;
  spending?: Tx;
  /** Whether it came as a BEEF, whose parents prove what is given. */
  beef?: boolean;
}

/** What is found out of the one input of a payment, and what a person is told. */
async function told({
  node = 'away',
  given,
  hasParent = false,
  own = false,
  beside = false,
  spending = child,
  beef = false,
}: Told) {
  const asked: string[] = [];
  const answerOf = (method: string): unknown => {
    asked.push(method);
    if (method === 'getrawtransaction' && hasParent) return toHex(serializeTx(parent));
    if (method !== 'gettxouts' || node === 'away') throw new Error('away');
    if (node === 'missing') return { txouts: [{ error: 'missing' }] };
    const scriptPubKey = toHex(node.script ?? script);
    return { txouts: [{ scriptPubKey, value: node.value / 100_000_000, confirmations: 3 }] };
  };
  const rpc: NodeRpc = { call: async <T>(method: string) => answerOf(method) as T };
  const spent = given && [{ satoshis: satoshis(given.value), script: given.script ?? script }];
  const bytes = spent ? serializeExtended({ tx: spending, spent }) : serializeTx(spending);
  const sourced = (one: FormattedTx | undefined): SourceTransaction => ({ ...(one as FormattedTx), place: 1 });
  const read = (raw: Uint8Array): SourceTransaction => sourced(runSteps(readFormatted(raw))[0]);
  const transaction: SourceTransaction = { ...read(bytes), ...(beef ? { format: 'beef' } : {}) };
  const outputs = new SpentOutputs(createNodeChainData(rpc), {
    rawOf: async () => new Map(own ? [[parentTxid, serializeTx(parent)]] : []),
    spendersOf: async () => [],
  });
  const among = beside ? [read(serializeTx(parent))] : [];
  const [found] = (await outputs.of([transaction], among)).get(transaction.txid) ?? [];
  const all = found ? [found] : [];
  const checks = preChecks(transaction, all, { terms: [], ancestors: 0, maxFee: 1_000_000 });
  const context = { network: 'test', maxFeeRate: 1_000_000, nextHeight: 5, now: 0, spenders: new Map() } as const;
  const { fee, warnings } = decodeTransaction(transaction, all, checks, null, context);
  const isTold = [checks, warnings].map((list) => list.some(({ code }) => code === 'input-disputed'));
  return { found, fee, checks, isTold, asked };
}

describe('the value of a spent output', () => {
  it('is not that of the node, nor the given one, where they differ and the parent is not to be had', async () => {
    const { found, fee, checks, isTold } = await told({ node: { value: 10_000 }, given: { value: 20_000 } });
    expect(found).toMatchObject({ output: undefined, source: null, state: 'unspent', disputed: [20_000, 10_000] });
    expect([fee, isTold]).toEqual([null, [true, true]]);
    expect(checks).toMatchObject([{ code: 'input-disputed', value: 1, skippable: true }]);
    expect(checks[0]?.text).toContain('input 0 spends is told in different ways: 20000, 10000 sat');
  });

  it.each([
    ['the transaction lies', { node: { value: 10_000 }, given: { value: 20_000 } }, [20_000, 10_000, 10_000]],
    ['the node lies', { node: { value: 20_000 }, given: { value: 10_000 } }, [10_000, 20_000, 10_000]],
    ['the node does not list the coin', { node: 'missing', given: { value: 20_000 } }, [20_000, 10_000]],
    ['the node does not answer', { node: 'away', given: { value: 20_000 } }, [20_000, 10_000]],
  ] as const)('is that of the parent, and the difference is reported, where %s', async (_, claims, disputed) => {
    for (const place of [{ own: true }, { hasParent: true }]) {
      const { found, fee, isTold } = await told({ ...claims, ...place });
      expect(found).toMatchObject({ output: { satoshis: 10_000 }, source: 'own', disputed });
      expect([fee, isTold]).toEqual([100, [true, true]]);
    }
  });

  it('is disputed also where the script alone differs', async () => {
    const { found, isTold } = await told({ node: { value: 10_000 }, given: { value: 10_000, script: otherScript } });
    expect(found).toMatchObject({ output: undefined, disputed: [10_000, 10_000] });
    expect(isTold).toEqual([true, true]);
  });

  it('is believed where all say the same, without a request for the parent', async () => {
    const { found, fee, isTold, asked } = await told({ node: { value: 10_000 }, given: { value: 10_000 } });
    expect(found).toMatchObject({ output: { satoshis: 10_000 }, source: 'node', state: 'unspent', confirmations: 3 });
    expect(found).not.toHaveProperty('disputed');
    expect([fee, isTold, asked]).toEqual([100, [false, false], ['gettxouts']]);
  });

  it('is told where the parent in the same source contradicts the transaction', async () => {
    const { found, fee, isTold } = await told({ beside: true, given: { value: 20_000 } });
    expect(found).toMatchObject({ output: { satoshis: 10_000 }, source: 'source', disputed: [20_000, 10_000] });
    expect([fee, isTold]).toEqual([100, [true, true]]);
    expect((await told({ beside: true, given: { value: 10_000 } })).isTold).toEqual([false, false]);
  });

  it('is unknown where the parent has no such output, whatever is given', async () => {
    const spending = payment(parentTxid, 9_900, 1);
    const { found, fee } = await told({ node: 'missing', own: true, given: { value: 10_000 }, spending });
    expect(found).toMatchObject({ output: undefined, source: null, state: 'missing' });
    expect(fee).toBeNull();
  });

  it('is that of a BEEF, and a node that contradicts it is reported', async () => {
    const claims = { beef: true, node: { value: 20_000 }, given: { value: 10_000 } };
    const { found, fee, isTold, asked } = await told(claims);
    expect(found).toMatchObject({ output: { satoshis: 10_000 }, disputed: [10_000, 20_000, 10_000] });
    expect([fee, isTold, asked]).toEqual([100, [true, true], ['gettxouts']]);
  });

  it('is the given one where no other source has it', async () => {
    const { found, fee, isTold } = await told({ given: { value: 10_000 } });
    expect(found).toMatchObject({ output: { satoshis: 10_000 }, source: 'given', state: 'unchecked' });
    expect([fee, isTold]).toEqual([100, [false, false]]);
  });
});
