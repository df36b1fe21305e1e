import { parseHeader, scanSingleTx, tscNodes } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { NOT_IN_BLOCK, NOT_YET_IN_BLOCK, proofForm, tscProof } from '../../node-format/merkle-proof.ts';
import { asHash, asLooseHash, failure, isVerbose, NO_HASH } from '../../node-format/params.ts';
import { hexText, txView } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { Answer, Inclusion } from '../../ports/chain-data.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import { helpOf } from '../methods/help.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { headerView, requireHeader, tipOf } from './header-commands.ts';

const NO_SUCH_TRANSACTION = 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.';
/** Number of operators that must not know of something before it counts as unknown. */
export const OPERATORS = 2;

/**
 * Returns `then` for a transaction that is unknown. That a single operator does not have it proves nothing.
 * @throws PlanchetError `gateway.one-operator`
 */
export function notKnown<T>(answer: Answer<unknown>, then: T): T {
  if (answer.basis === 'unknown' && (answer.operators ?? 0) < OPERATORS)
    throw new PlanchetError('gateway.one-operator');
  return then;
}

/** The block that is named, or else the one that holds a transaction. @throws NodeRpcError -5 */
export async function blockOf(context: PublicContext, txid: string, blockhash: unknown): Promise<ChainHeader> {
  const named = blockhash === undefined ? NO_HASH : asLooseHash(blockhash);
  if (named !== NO_HASH) return requireHeader(context, named);
  const found = await context.chainData.inclusion(txid);
  if (found.value === undefined) throw notKnown(found, failure('notFound', NOT_YET_IN_BLOCK));
  return found.value;
}

/** A transaction, and where it is; the block is the one that is named, if one is. @throws NodeRpcError -5 */
async function placeOf(
  context: PublicContext,
  txid: string,
  blockhash: unknown,
): Promise<() => { readonly raw: Uint8Array; readonly place: Inclusion }> {
  const named = blockhash === undefined ? NO_HASH : asLooseHash(blockhash);
  if (named !== NO_HASH) await requireHeader(context, named);
  const { chainData } = context;
  const bytes = await chainData.transaction(txid);
  const { value: raw } = bytes;
  const place = raw && (await chainData.inclusion(txid, undefined, raw)).value;
  if (raw === undefined) notKnown(bytes, undefined);
  if (named === NO_HASH && place === undefined) throw failure('notFound', NOT_YET_IN_BLOCK);
  return () => {
    // the node treats an empty branch as a failure, so a block of one transaction has no proof
    if (!raw || !place || (named !== NO_HASH && place.hash !== named) || place.path.siblings.length === 0)
      throw failure('notFound', NOT_IN_BLOCK);
    return { raw, place };
  };
}

export const transactionCommands: PublicCommands = {
  getrawtransaction: async (context, [id, verbose]) => {
    const txid = asHash(id, 'parameter 1');
    const { chainData } = context;
    if (!isVerbose(verbose)) {
      const found = await chainData.transaction(txid);
      if (found.value === undefined) throw notKnown(found, failure('notFound', NO_SUCH_TRANSACTION));
      return hexText(found.value);
    }
    const placed = await chainData.placed(txid);
    if (placed.value === undefined) throw notKnown(placed, failure('notFound', NO_SUCH_TRANSACTION));
    const { raw, block } = placed.value;
    const found = block === null ? undefined : await requireHeader(context, block.hash);
    const confirmations = found === undefined ? 0 : (await tipOf(context)).height - found.height + 1;
    const details = found && { confirmations, time: parseHeader(found.header).time, height: found.height };
    const rules = { network: context.addresses, beforeGenesis: false };
    return txView(await inTurns(scanSingleTx(raw)), found && { hash: found.hash, details }, rules);
  },
  getmerkleproof: async (context, [id, blockhash]) => {
    const txid = asHash(id, 'txid');
    const { hash, path } = (await placeOf(context, txid, blockhash))().place;
    const target = await headerView(context, await requireHeader(context, hash));
    return { flags: 2, index: path.index, txOrId: txid, target, nodes: tscNodes(path) };
  },
  getmerkleproof2: async (context, [blockhash, id, ...rest]) => {
    const txid = asHash(id, 'txid');
    const inclusion = await placeOf(context, txid, blockhash);
    const form = proofForm(rest, helpOf('getmerkleproof2'));
    const { raw, place } = inclusion();
    const { hash, header, path } = place;
    const shown = form.fullTx ? raw : undefined;
    return tscProof({ index: path.index, txid, raw: shown, hash, header, nodes: tscNodes(path) }, form);
  },
};
