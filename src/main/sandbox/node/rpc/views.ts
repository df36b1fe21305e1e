import { difficultyOf, type LazyTx, parseHeader } from '../../../../chain/index.ts';
import {
  scriptView as formatScript,
  txView as formatTx,
  type RpcObject,
  type TxBlock,
} from '../../../node-format/views.ts';
import type { MempoolEntry } from '../mempool/mempool-entry.ts';
import type { SandboxNode } from '../node.ts';
import { blockAtHeight } from '../storage/chain-store.ts';
import type { FoundBlock } from '../storage/side-store.ts';
import { amount, type JsonText, type RpcValue, real } from './json.ts';

export { hexText, type RpcObject, type TxBlock, txidInSteps } from '../../../node-format/views.ts';

/** The node's HEADER object. */
export async function headerView(node: SandboxNode, row: FoundBlock): Promise<RpcObject> {
  const header = parseHeader(row.header);
  const tip = node.tip().height;
  const { side } = row;
  const next = side === undefined && row.height < tip ? await blockAtHeight(node.db, row.height + 1) : undefined;
  return {
    hash: row.hash,
    confirmations: side ? -1 : tip - row.height + 1,
    size: row.size,
    height: row.height,
    version: header.version,
    versionHex: hex32(header.version),
    merkleroot: header.merkleRoot,
    num_tx: row.transactions,
    time: header.time,
    mediantime: row.median_time,
    nonce: header.nonce,
    bits: hex32(header.bits),
    difficulty: real(difficultyOf(header.bits)),
    chainwork: row.chainwork,
    previousblockhash: row.height > 0 ? header.previousHash : undefined,
    nextblockhash: next?.hash,
    status: {
      validity: side?.validity ?? 'scripts',
      data: true,
      // nothing precedes the genesis block, so it has no undo data
      undo: row.height > 0 && side?.validity !== 'transactions',
      failed: side?.failed === 1,
      'parent failed': side?.failed === 0 && node.isInvalidBlock(row.hash),
      'disk meta': true,
      'soft reject': false,
      'double spend': false,
      'soft consensus frozen': false,
    },
  };
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

const rules = { network: 'test', beforeGenesis: false } as const;

/** The node's TX object. */
export function txView(tx: LazyTx, block?: TxBlock): JsonText {
  return formatTx(tx, block, rules);
}

/** The node's SPK object. */
export function scriptView(script: Uint8Array): RpcValue {
  return formatScript(script, rules);
}

/** The node's MEMENTRY object. */
export function mempoolEntryView(node: SandboxNode, entry: MempoolEntry): RpcObject {
  return {
    size: entry.raw.length,
    fee: amount(entry.fee),
    modifiedfee: amount(entry.fee),
    time: Math.floor(entry.time / 1000),
    height: entry.height,
    depends: node.mempool.parents(entry),
  };
}
