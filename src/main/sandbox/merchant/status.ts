import { toHex } from '../../../chain/index.ts';
import { conflicting } from '../node/consensus/validate.ts';
import type { SandboxNode } from '../node/node.ts';
import { createNodeRpc } from '../node/rpc/dispatcher.ts';
import { txidsOf } from '../node/rpc/streams.ts';
import { findBlock } from '../node/storage/side-store.ts';
import type { TxStatus } from './payloads.ts';
import { merchantTexts } from './texts.ts';

const UNKNOWN = merchantTexts.unknownTransaction;
const MIXED = 'Mixed results';

/**
 * Status of a transaction by the node. If two branches have equal length and only one contains the transaction, miners disagree about it,
 * and the status is `Mixed results`.
 * @param proof requested format of the Merkle proof
 */
export async function statusOf(node: SandboxNode, txid: string, proof?: 'TSC' | 'node'): Promise<TxStatus> {
  if (await isDisputed(node, txid)) return { failure: MIXED };
  const found = await node.transaction(txid);
  if (found === undefined) return { failure: UNKNOWN };
  const { blockHash, blockHeight, confirmations } = found;
  if (blockHash === null || blockHeight === null) return {};
  const mined = { blockHash, blockHeight, confirmations };
  return proof === undefined ? mined : { ...mined, merkleProof: await proofOf(node, txid, blockHash, proof) };
}

async function proofOf(node: SandboxNode, txid: string, blockHash: string, form: 'TSC' | 'node'): Promise<unknown> {
  const found = await node.proof(txid);
  if (found === undefined) return undefined;
  if (form === 'TSC') return found.proof;
  return createNodeRpc(node).dispatch('getmerkleproof', [txid, blockHash]);
}

async function isDisputed(node: SandboxNode, txid: string): Promise<boolean> {
  const ends = node.chainEnds();
  const active = ends.find(({ status }) => status === 'active');
  for (const { hash, height, branchLength, status } of ends) {
    if (height !== active?.height || (status !== 'valid-fork' && status !== 'valid-headers')) continue;
    const theirs = await isIn(node, txid, hash, branchLength);
    if (theirs !== (await isIn(node, txid, active.hash, branchLength))) return true;
  }
  return false;
}

/** Whether one of the newest blocks of a branch contains the transaction. */
async function isIn(node: SandboxNode, txid: string, end: string, blocks: number): Promise<boolean> {
  let hash: string | undefined = end;
  for (let left = blocks; left > 0 && hash !== undefined; left--) {
    const block = await findBlock(node.db, hash);
    if (block === undefined) return false;
    if ((await txidsOf(node, block)).includes(txid)) return true;
    hash = block.previous_hash;
  }
  return false;
}

/** Fields of an output that can be requested (version 1.5.0). */
export const outputFields = ['scriptPubKey', 'scriptPubKeyLen', 'value', 'isStandard', 'confirmations'] as const;
export type OutputField = (typeof outputFields)[number];

/** One element of the `txouts` response. */
export async function outputStatus(
  node: SandboxNode,
  { txid, n }: { readonly txid: string; readonly n: number },
  fields: ReadonlySet<OutputField>,
  includeMempool: boolean,
): Promise<unknown> {
  const utxo = await node.utxo({ txid, vout: n }, includeMempool);
  if (utxo === undefined) {
    const spender = includeMempool ? node.mempool.spender(`${txid}_${n}`) : undefined;
    if (spender === undefined) return { error: 'missing' };
    return { error: 'spent', collidedWith: conflicting(spender) };
  }
  const all: Record<OutputField, unknown> = {
    scriptPubKey: toHex(utxo.lockingScript),
    scriptPubKeyLen: utxo.lockingScript.length,
    value: utxo.satoshis / 100_000_000,
    isStandard: true,
    confirmations: utxo.height === null ? 0 : node.tip().height - utxo.height + 1,
  };
  return Object.fromEntries(Object.entries(all).filter(([field]) => fields.has(field as OutputField)));
}
