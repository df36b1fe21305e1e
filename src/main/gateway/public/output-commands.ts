import { isCoinbase, scanSingleTx } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { amount } from '../../node-format/json.ts';
import { asInteger, asLooseHash, optionalBoolean } from '../../node-format/params.ts';
import { scriptView } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { requireHeader, tipOf } from './header-commands.ts';
import { notKnown, OPERATORS } from './transaction-commands.ts';

export const outputCommands: PublicCommands = {
  gettxout: async (context, [id, n, includeMempool]) => {
    const outpoint = { txid: asLooseHash(id), vout: asInteger(n) };
    const withMempool = optionalBoolean(includeMempool, true);
    const tip = await tipOf(context);
    const placed = await context.chainData.placed(outpoint.txid);
    if (placed.value === undefined) return notKnown(placed, null);
    const { raw, block } = placed.value;
    const tx = await inTurns(scanSingleTx(raw));
    const output = outpoint.vout < 0 ? undefined : tx.output(outpoint.vout);
    if (output === undefined || (block === null && !withMempool)) return null;
    if (await isSpent(context, outpoint, withMempool)) return null;
    const confirmations = block === null ? 0 : tip.height - (await requireHeader(context, block.hash)).height + 1;
    return {
      bestblock: tip.hash,
      confirmations,
      value: amount(output.satoshis),
      scriptPubKey: scriptView(output.script, { network: context.addresses, beforeGenesis: false }),
      coinbase: isCoinbase({ inputs: [...tx.inputs()] }),
      confiscation: false,
    };
  },
};

/**
 * Whether something spends an output, shown by its bytes.
 * @throws PlanchetError `gateway.output-disputed` where somebody names a spender that nobody has, `gateway.one-operator` where only one answers
 */
async function isSpent(
  { chainData }: PublicContext,
  outpoint: { readonly txid: string; readonly vout: number },
  withMempool: boolean,
): Promise<boolean> {
  const { spender, claimedBy, deniedBy } = await chainData.spends(outpoint);
  if (spender !== undefined) return withMempool || (await chainData.placeOf(spender)).value !== null;
  if (claimedBy.length > 0) throw new PlanchetError('gateway.output-disputed', { sources: claimedBy.join(', ') });
  if (deniedBy.length < OPERATORS) throw new PlanchetError('gateway.one-operator');
  return false;
}
