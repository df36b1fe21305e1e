import {
  formatOutpoint,
  isCoinbase,
  type Outpoint,
  parseP2pkh,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import type { ChainData, KeyHistory, SpendTold } from '../../ports/chain-data.ts';
import type { HeaderChain } from '../../ports/headers.ts';
import type { TestNode } from './test-node.ts';

const unknown = { basis: 'unknown' } as const;

/** The same chain as public services tell of it: by an index of plain payments, without blocks and mempool. */
export function indexedChain(
  chainData: ChainData,
  node: () => TestNode,
  headers: () => Pick<HeaderChain, 'refresh'>,
  /** What the index makes of what is there. */
  lie: (honest: KeyHistory) => KeyHistory = (honest) => honest,
  /** What is said of who spends an output beside what is true. */
  spentBy: (outpoint: Outpoint) => SpendTold | undefined = () => undefined,
): ChainData {
  return {
    ...chainData,
    until: (signal) => indexedChain(chainData.until(signal), node, headers, lie, spentBy),
    async claimedSpent(outpoints) {
      return outpoints.filter((one) => spentBy(one) !== undefined || spenderOf(node(), one) !== undefined);
    },
    async spends(outpoint) {
      return (
        spentBy(outpoint) ?? {
          spender: spenderOf(node(), outpoint),
          claimedBy: [],
          deniedBy: ['bananablocks'],
          silent: [],
        }
      );
    },
    async history(keys) {
      // it is as far away as the node, and headers come by themselves
      await chainData.tip();
      await headers().refresh();
      return { basis: 'told', value: lie(historyOf(node(), new Set(keys))) };
    },
    search: async () => unknown,
    mempool: async () => unknown,
  };
}

/** What an index tells that hides transactions. */
export const without =
  (...hidden: readonly Tx[]) =>
  ({ mined, waiting }: KeyHistory): KeyHistory => {
    const ids = new Set(hidden.map((tx) => txidOf(tx)));
    return { mined: mined.filter(({ txid }) => !ids.has(txid)), waiting: waiting.filter((txid) => !ids.has(txid)) };
  };

function spenderOf({ blocks, mempool }: TestNode, outpoint: Outpoint): SpendTold['spender'] {
  const all = [...blocks.flatMap(({ block }) => block.transactions), ...mempool];
  const found = all.find(({ inputs }) => inputs.some((one) => formatOutpoint(one) === formatOutpoint(outpoint)));
  return found && { txid: txidOf(found), raw: serializeTx(found) };
}

function historyOf({ blocks, mempool }: TestNode, keys: ReadonlySet<string>): KeyHistory {
  /** The keys of outputs. */
  const paid = new Map<string, string>();
  const touched = (tx: Tx): Set<string> => {
    const txid = txidOf(tx);
    const found = new Set(isCoinbase(tx) ? [] : tx.inputs.flatMap((input) => paid.get(formatOutpoint(input)) ?? []));
    for (const [vout, { script }] of tx.outputs.entries()) {
      const hash = parseP2pkh(script);
      if (hash === undefined || !keys.has(toHex(hash))) continue;
      paid.set(formatOutpoint({ txid, vout }), toHex(hash));
      found.add(toHex(hash));
    }
    return found;
  };
  const mined = blocks.flatMap(({ block }, height) =>
    block.transactions.flatMap((tx) => [...touched(tx)].map((key) => ({ key, txid: txidOf(tx), height }))),
  );
  // children may wait before their parents
  mempool.forEach(touched);
  return { mined, waiting: mempool.filter((tx) => touched(tx).size > 0).map((tx) => txidOf(tx)) };
}
