import type { LazyTx } from '../../../../chain/index.ts';
import { headerObject } from '../../../node-format/header-view.ts';
import { amount, type JsonText, type RpcValue } from '../../../node-format/json.ts';
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

export { hexText, type RpcObject, type TxBlock, txidInSteps } from '../../../node-format/views.ts';

/** The node's HEADER object. */
export async function headerView(node: SandboxNode, row: FoundBlock): Promise<RpcObject> {
  const tip = node.tip().height;
  const { hash, height, header, size, transactions, chainwork, side } = row;
  const next = side === undefined && height < tip ? await blockAtHeight(node.db, height + 1) : undefined;
  return headerObject({
    hash,
    height,
    header,
    size,
    transactions,
    chainwork,
    confirmations: side ? -1 : tip - height + 1,
    medianTime: row.median_time,
    nextHash: next?.hash,
    status: {
      validity: side?.validity ?? 'scripts',
      data: true,
      // nothing precedes the genesis block, so it has no undo data
      undo: height > 0 && side?.validity !== 'transactions',
      failed: side?.failed === 1,
      'parent failed': side?.failed === 0 && node.isInvalidBlock(hash),
      'disk meta': true,
      'soft reject': false,
      'double spend': false,
      'soft consensus frozen': false,
    },
  });
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
