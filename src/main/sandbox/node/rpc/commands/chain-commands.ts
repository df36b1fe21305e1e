import { difficultyOf, merkleBranch, parseHeader, toHex } from '../../../../../chain/index.ts';
import { statsWindow } from '../../../../node-format/chain-stats.ts';
import { softforks } from '../../../../node-format/header-view.ts';
import { type RpcValue, real } from '../../../../node-format/json.ts';
import type { RpcStream } from '../../../../node-format/json-stream.ts';
import {
  asInteger,
  asLooseHash,
  blockVerbosity,
  failure,
  headerVerbosity,
  isNull,
} from '../../../../node-format/params.ts';
import { REGTEST_BITS } from '../../consensus/consensus.ts';
import type { SandboxNode } from '../../node.ts';
import { blockTransactions } from '../../storage/block-bytes.ts';
import { type BlockRow, blockAtHeight } from '../../storage/chain-store.ts';
import { type FoundBlock, findBlock } from '../../storage/side-store.ts';
import { blockStream, hexStream, txidsOf } from '../streams.ts';
import { headerView, type RpcObject, txView } from '../views.ts';
import type { Commands } from './command.ts';

/** A block of any branch. */
export async function requireBlock(node: SandboxNode, hash: unknown): Promise<FoundBlock> {
  const row = await findBlock(node.db, asLooseHash(hash));
  if (row === undefined) throw failure('notFound', 'Block not found');
  return row;
}

/** The header of a pruned block stays; its transactions do not. */
export function requireKept(node: SandboxNode, { hash, height }: FoundBlock): void {
  if (height < node.lowestKept()) throw failure('misc', `Block file ${hash} not available.`);
}

async function requireBlockAt(node: SandboxNode, height: unknown): Promise<BlockRow> {
  const wanted = asInteger(height);
  const row = wanted < 0 ? undefined : await blockAtHeight(node.db, wanted);
  if (row === undefined) throw failure('parameter', 'Block height out of range');
  return row;
}

async function coinbaseView({ db }: SandboxNode, { hash, size }: FoundBlock): Promise<RpcValue> {
  for await (const coinbase of blockTransactions(db, hash, size)) return txView(coinbase);
  throw failure('misc', `Block file ${hash} not available.`);
}

/** A block as returned by `getblock`. @param verbosity 0 to 3 */
async function blockAnswer(node: SandboxNode, row: FoundBlock, verbosity: number): Promise<RpcValue | RpcStream> {
  requireKept(node, row);
  if (verbosity === 0) return hexStream(node, row);
  if (verbosity === 3) return { tx: [await coinbaseView(node, row)], ...(await headerView(node, row)) };
  return blockStream(node, row, verbosity === 2);
}

/** A header as returned by `getblockheader`. @param verbosity 0 to 2 */
export async function headerAnswer(node: SandboxNode, row: FoundBlock, verbosity: number): Promise<RpcValue> {
  if (verbosity === 0) return toHex(row.header);
  const header = await headerView(node, row);
  if (verbosity === 1 || row.height < node.lowestKept()) return header;
  // the coinbase always has a right sibling, so no hash of its branch is repeated
  const merkleproof = merkleBranch(await txidsOf(node, row), 0);
  return { tx: [await coinbaseView(node, row)], ...header, merkleproof };
}

export const chainCommands: Commands = {
  getbestblockhash: { run: (node) => node.tip().hash },
  getblockcount: { run: (node) => node.tip().height },
  getblockhash: { run: async (node, [height]) => (await requireBlockAt(node, height)).hash },
  getblockheader: {
    streamed: true,
    run: async (node, [hash, verbosity]) => {
      const level = headerVerbosity(verbosity);
      return headerAnswer(node, await requireBlock(node, hash), level);
    },
  },
  getblock: {
    streamed: true,
    run: async (node, [hash, verbosity]) => {
      const row = await requireBlock(node, hash);
      return blockAnswer(node, row, blockVerbosity(verbosity));
    },
  },
  getblockbyheight: {
    streamed: true,
    run: async (node, [height, verbosity]) => {
      const row = await requireBlockAt(node, height);
      return blockAnswer(node, row, blockVerbosity(verbosity));
    },
  },
  getdifficulty: { run: () => real(difficultyOf(REGTEST_BITS)) },
  getblockchaininfo: {
    run: (node) => {
      const { hash, height, medianTime, chainwork } = node.chainTip();
      const lowest = node.lowestKept();
      return {
        chain: 'regtest',
        blocks: height,
        headers: height,
        bestblockhash: hash,
        difficulty: real(difficultyOf(REGTEST_BITS)),
        mediantime: medianTime,
        verificationprogress: 1,
        chainwork: chainwork.toString(16).padStart(64, '0'),
        pruned: lowest > 0,
        softforks,
        ...(lowest > 0 ? { pruneheight: lowest } : {}),
      };
    },
  },
  getchaintips: {
    run: (node) =>
      node.chainEnds().map(({ height, hash, branchLength, status }) => ({
        height,
        hash,
        branchlen: branchLength,
        status,
      })),
  },
  getchaintxstats: { run: chainTxStats },
};

async function chainTxStats(node: SandboxNode, [nblocks, blockhash]: readonly unknown[]): Promise<RpcValue> {
  const last = isNull(blockhash) ? await requireBlock(node, node.tip().hash) : await requireBlock(node, blockhash);
  if (last.side !== undefined) throw failure('parameter', 'Block is not in main chain');
  const count = statsWindow(nblocks, last.height);
  const answer: RpcObject = {
    time: parseHeader(last.header).time,
    txcount: last.chain_transactions,
    window_block_count: count,
  };
  if (count === 0) return answer;
  const first = await requireBlockAt(node, last.height - count);
  const transactions = last.chain_transactions - first.chain_transactions;
  const interval = last.median_time - first.median_time;
  answer.window_tx_count = transactions;
  answer.window_interval = interval;
  if (interval > 0) answer.txrate = real(transactions / interval);
  return answer;
}
