import { merkleBranch } from '../../../../../chain/index.ts';
import { helpOf } from '../../../../gateway/methods/help.ts';
import { verifyMerkleProof, verifyTxOutProof } from '../../../../node-format/chainless-commands.ts';
import type { RpcValue } from '../../../../node-format/json.ts';
import {
  NOT_IN_BLOCK,
  NOT_YET_IN_BLOCK,
  proofForm,
  tscProof,
  txOutProof,
  wantedTxids,
} from '../../../../node-format/merkle-proof.ts';
import { asHash, asLooseHash, failure, NO_HASH } from '../../../../node-format/params.ts';
import type { SandboxNode } from '../../node.ts';
import { blockByHash, locateTransaction, minedTransaction } from '../../storage/chain-store.ts';
import type { FoundBlock } from '../../storage/side-store.ts';
import { txidsOf } from '../streams.ts';
import { headerView } from '../views.ts';
import { requireBlock } from './chain-commands.ts';
import type { Commands } from './command.ts';

async function blockOf(node: SandboxNode, txid: string, blockhash: unknown): Promise<FoundBlock> {
  const named = blockhash === undefined ? NO_HASH : asLooseHash(blockhash);
  if (named !== NO_HASH) {
    const row = await requireBlock(node, named);
    if (row.height < node.lowestKept()) throw failure('internal', "Can't read block from disk");
    return row;
  }
  const at = await locateTransaction(node.db, txid);
  const row = at ? await blockByHash(node.db, at.block_hash) : undefined;
  if (row === undefined || row.height < node.lowestKept()) throw failure('notFound', NOT_YET_IN_BLOCK);
  return row;
}

async function branchOf(node: SandboxNode, txid: string, block: FoundBlock) {
  const txids = await txidsOf(node, block);
  const index = txids.indexOf(txid);
  // the node treats an empty branch as a failure, so a block of one transaction has no proof
  if (index < 0 || txids.length === 1) throw failure('notFound', NOT_IN_BLOCK);
  return { index, nodes: merkleBranch(txids, index) };
}

async function outputProof(node: SandboxNode, [txids, blockhash]: readonly unknown[]): Promise<RpcValue> {
  const wanted = wantedTxids(txids);
  const block = await blockOf(node, wanted[0], blockhash);
  return txOutProof(block.header, await txidsOf(node, block), wanted, blockhash !== undefined);
}

async function merkleProof2(node: SandboxNode, params: readonly unknown[]): Promise<RpcValue> {
  const [blockhash, id, ...rest] = params;
  const txid = asHash(id, 'txid');
  const block = await blockOf(node, txid, blockhash);
  const form = proofForm(rest, helpOf('getmerkleproof2'));
  const { index, nodes } = await branchOf(node, txid, block);
  const raw = form.fullTx ? await rawOf(node, txid) : undefined;
  return tscProof({ index, txid, raw, hash: block.hash, header: block.header, nodes }, form);
}

/** The bytes of a mined transaction. */
export async function rawOf(node: SandboxNode, txid: string): Promise<Uint8Array> {
  const at = await locateTransaction(node.db, txid);
  if (at === undefined) throw failure('internal', 'Transaction index corrupt');
  return minedTransaction(node.db, at);
}

export const proofCommands: Commands = {
  gettxoutproof: { run: outputProof },
  verifytxoutproof: {
    run: (node, [proof]) => verifyTxOutProof(proof, async (hash) => (await blockByHash(node.db, hash)) !== undefined),
  },
  getmerkleproof: {
    run: async (node, [id, blockhash]) => {
      const txid = asHash(id, 'txid');
      const block = await blockOf(node, txid, blockhash);
      const { index, nodes } = await branchOf(node, txid, block);
      return { flags: 2, index, txOrId: txid, target: await headerView(node, block), nodes };
    },
  },
  // in the node, too, the order by name differs from the order by position, so a call by name has the two swapped
  getmerkleproof2: { run: merkleProof2 },
  verifymerkleproof: { run: (_, params) => verifyMerkleProof(params) },
};
