import {
  decodeAddress,
  FINAL_SEQUENCE,
  type FundingUtxo,
  inscriptionScript,
  LEAST_CHANGE,
  ONE_SATOSHI,
  P2PKH_UNLOCK_BYTES,
  type ParsedTxObj,
  requiredFee,
  satoshis,
  type Tx,
  type TxOutput,
} from '../../../../../chain/index.ts';
import { PlanchetError } from '../../../../../contract/index.ts';
import { ReadTransaction } from '../../../review/unsigned.ts';
import type { JobRow } from '../../../tables.ts';
import { tokenSizes } from '../../estimate.ts';
import type { Quote, StepContext } from '../step-context.ts';

/** The unsigned mint of a job's items. @throws PlanchetError `funds-insufficient` where the coins do not cover the fee */
export async function directTransaction(
  ctx: StepContext,
  job: JobRow,
  coins: readonly FundingUtxo[],
  quote: Quote,
): Promise<ReadTransaction> {
  return new ReadTransaction(mintOf(await tokenOutputs(ctx, job), coins, ctx.wallet.lockingScript(), quote));
}

/**
 * An unsigned mint as a token service would build it: one one-satoshi output an item, in order, then the change. The result has the form of
 * a service's reply, so that it is reviewed like one.
 * @throws PlanchetError `funds-insufficient` where the coins do not cover the fee
 */
export function mintOf(
  tokens: readonly TxOutput[],
  coins: readonly FundingUtxo[],
  change: Uint8Array,
  quote: Quote,
): ParsedTxObj {
  const spent = [...coins];
  const spendable = coins.reduce((sum, coin) => sum + coin.satoshis, 0) - tokens.length;
  const frame = (outputs: readonly TxOutput[], unlockBytes: number): Tx => ({
    version: 1,
    inputs: coins.map(({ txid, vout }) => ({
      txid,
      vout,
      script: new Uint8Array(unlockBytes),
      sequence: FINAL_SEQUENCE,
    })),
    outputs: [...outputs],
    lockTime: 0,
  });
  const feeOf = (outputs: readonly TxOutput[]): number => requiredFee(frame(outputs, P2PKH_UNLOCK_BYTES), quote);
  const left = spendable - feeOf([...tokens, { satoshis: satoshis(LEAST_CHANGE), script: change }]);
  if (left >= LEAST_CHANGE) {
    const outputs = [...tokens, { satoshis: satoshis(left), script: change }];
    return { tx: frame(outputs, 0), spent, changeIndex: tokens.length };
  }
  const needed = feeOf(tokens) + tokens.length;
  if (spendable + tokens.length < needed) {
    const values = { needed, spendable: spendable + tokens.length };
    throw new PlanchetError('mint.funds-insufficient', values, { detail: values });
  }
  return { tx: frame(tokens, 0), spent };
}

async function tokenOutputs(ctx: StepContext, job: JobRow): Promise<TxOutput[]> {
  const items = await ctx.journal.items(job.id);
  const { pubKeyHash } = decodeAddress(job.destination);
  const sizes = tokenSizes(items, await ctx.items.collectionId(job.project_uid));
  const outputs: TxOutput[] = [];
  for (const [index, { contentType, metadata: map }] of sizes.entries()) {
    const pieces: Buffer[] = [];
    for await (const piece of ctx.files.pieces(items[index]?.sha256 as string)) pieces.push(piece);
    const content = Buffer.concat(pieces);
    outputs.push({ satoshis: ONE_SATOSHI, script: inscriptionScript({ pubKeyHash, contentType, content, map }) });
  }
  return outputs;
}
