import { isCoinbase, type Outpoint, type Satoshis, scanSingleTx } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { amount } from '../../node-format/json.ts';
import { OutputItems, readManyOutputs } from '../../node-format/many-outputs.ts';
import { asInteger, asLooseHash, optionalBoolean } from '../../node-format/params.ts';
import { scriptView } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { SpendTold } from '../../ports/chain-data.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { requireHeader, tipOf } from './header-commands.ts';
import { notKnown, OPERATORS } from './transaction-commands.ts';

type Output =
  | {
      readonly state: 'unspent';
      readonly script: Uint8Array;
      readonly satoshis: Satoshis;
      readonly confirmations: number;
      readonly isCoinbase: boolean;
    }
  /** By a transaction of the mempool. */
  | { readonly state: 'spent'; readonly by: { readonly txid: string; readonly raw: Uint8Array } }
  | undefined;

/**
 * What spends an output, mined or not; undefined where two operators say that nothing does.
 * @throws PlanchetError `gateway.output-disputed` where somebody names a spender that nobody has, `gateway.one-operator` where only one answers
 */
export async function spenderOf(
  { chainData }: Pick<PublicContext, 'chainData'>,
  outpoint: Outpoint,
): Promise<SpendTold['spender']> {
  const { spender, claimedBy, deniedBy } = await chainData.spends(outpoint);
  if (spender !== undefined) return spender;
  if (claimedBy.length > 0) throw new PlanchetError('gateway.output-disputed', { sources: claimedBy.join(', ') });
  if (deniedBy.length < OPERATORS) throw new PlanchetError('gateway.one-operator');
  return undefined;
}

/**
 * An output as a node knows it: undefined for one that a block spent, as for one that never was.
 * @param withMempool whether what waits in the mempool counts
 * @param known the bytes of its transaction, where they were read before
 * @throws PlanchetError as {@link spenderOf}
 */
async function outputOf(
  context: PublicContext,
  outpoint: Outpoint,
  withMempool: boolean,
  known?: Uint8Array,
): Promise<Output> {
  const { chainData } = context;
  const tip = await tipOf(context);
  const placed = await chainData.placed(outpoint.txid, known);
  if (placed.value === undefined) return notKnown(placed, undefined);
  const { raw, block } = placed.value;
  const tx = await inTurns(scanSingleTx(raw));
  const output = outpoint.vout < 0 ? undefined : tx.output(outpoint.vout);
  if (output === undefined || (block === null && !withMempool)) return undefined;
  // what the first block pays is in no node's set of outputs
  if (block?.height === 0) return undefined;
  const spender = await spenderOf(context, outpoint);
  if (spender !== undefined) {
    const isMined = (await chainData.placeOf(spender.txid, spender.raw)).value !== null;
    if (isMined) return undefined;
    if (withMempool) return { state: 'spent', by: spender };
  }
  const confirmations = block === null ? 0 : tip.height - (await requireHeader(context, block.hash)).height + 1;
  return { state: 'unspent', ...output, confirmations, isCoinbase: isCoinbase({ inputs: [...tx.inputs()] }) };
}

export const outputCommands: PublicCommands = {
  gettxout: async (context, [id, n, includeMempool]) => {
    const outpoint = { txid: asLooseHash(id), vout: asInteger(n) };
    const output = await outputOf(context, outpoint, optionalBoolean(includeMempool, true));
    if (output?.state !== 'unspent') return null;
    return {
      bestblock: (await tipOf(context)).hash,
      confirmations: output.confirmations,
      value: amount(output.satoshis),
      scriptPubKey: scriptView(output.script, { network: context.addresses, beforeGenesis: false }),
      coinbase: output.isCoinbase,
      confiscation: false,
    };
  },
  gettxouts: async (context, params) => {
    const wanted = readManyOutputs(params);
    const items = new OutputItems(wanted);
    const known = await context.chainData.transactions([...new Set(wanted.outpoints.map(({ txid }) => txid))]);
    for (const outpoint of wanted.outpoints) {
      const output = await outputOf(context, outpoint, wanted.withMempool, known.get(outpoint.txid));
      if (output === undefined) items.missing();
      else if (output.state === 'spent') items.spent(output.by);
      else items.unspent(output);
    }
    return items.answer();
  },
};
