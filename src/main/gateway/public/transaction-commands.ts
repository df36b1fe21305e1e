import { parseHeader, scanSingleTx, toHex, tscNodes } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import {
  asHash,
  asLooseHash,
  asString,
  failure,
  isVerbose,
  NO_HASH,
  optionalBoolean,
} from '../../node-format/params.ts';
import { hexText, txView } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { Answer, Inclusion } from '../../ports/chain-data.ts';
import { helpOf } from '../methods/help.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { headerView, requireHeader, tipOf } from './header-commands.ts';

const NO_SUCH_TRANSACTION = 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.';
const NOT_IN_BLOCK = 'Transaction(s) not found in provided block';
const NOT_YET_IN_BLOCK =
  'Transaction not yet in block, -txindex is not enabled, or the block containing the transaction has been pruned';

/**
 * What follows where a transaction is unknown: that one operator does not have it shows nothing.
 * @throws PlanchetError `gateway.one-operator`
 */
export function notKnown<T>(answer: Answer<unknown>, then: T): T {
  if (answer.basis === 'unknown' && (answer.operators ?? 0) < 2) throw new PlanchetError('gateway.one-operator');
  return then;
}

/** Where a transaction is; the block is the one that is named, if one is. @throws NodeRpcError -5 */
async function placeOf(context: PublicContext, txid: string, blockhash: unknown): Promise<() => Inclusion> {
  const named = blockhash === undefined ? NO_HASH : asLooseHash(blockhash);
  if (named !== NO_HASH) await requireHeader(context, named);
  const found = await context.chainData.inclusion(txid);
  const { value } = found;
  if (value === undefined) notKnown(found, undefined);
  if (named === NO_HASH && value === undefined) throw failure('notFound', NOT_YET_IN_BLOCK);
  return () => {
    // the node treats an empty branch as a failure, so a block of one transaction has no proof
    if (value === undefined || (named !== NO_HASH && value.hash !== named) || value.path.siblings.length === 0)
      throw failure('notFound', NOT_IN_BLOCK);
    return value;
  };
}

const targetTypes = ['hash', 'header', 'merkleroot'];

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
    const { hash, path } = (await placeOf(context, txid, blockhash))();
    const target = await headerView(context, await requireHeader(context, hash));
    return { flags: 2, index: path.index, txOrId: txid, target, nodes: tscNodes(path) };
  },
  getmerkleproof2: async (context, [blockhash, id, includeFullTx, type = 'hash', format = 'json']) => {
    const txid = asHash(id, 'txid');
    const inclusion = await placeOf(context, txid, blockhash);
    const fullTx = optionalBoolean(includeFullTx, false);
    const wants = (name: string, value: unknown, allowed: readonly string[], text: string): void => {
      if (allowed.includes(asString(value))) return;
      throw failure('invalidParams', `${name} is '${value}',  must be ${text}\n${helpOf('getmerkleproof2')}`);
    };
    wants('targetType', type, targetTypes, "'hash', 'header' or 'merkleroot'");
    wants('format', format, ['json'], "'json'");
    const { hash, header, path } = inclusion();
    const raw = fullTx ? (await context.chainData.transaction(txid)).value : undefined;
    const targets = { hash, header: toHex(header), merkleroot: parseHeader(header).merkleRoot };
    return {
      index: path.index,
      txOrId: raw === undefined ? txid : hexText(raw),
      targetType: type === 'hash' ? undefined : (type as string),
      target: targets[type as keyof typeof targets],
      nodes: tscNodes(path),
    };
  },
};
