import {
  type AddressNetwork,
  encodeAddress,
  formatOutpoint,
  leadingP2pkh,
  type Outpoint,
  parseP2pkh,
  type Tx,
} from '../../chain/index.ts';
import { PlanchetError, type TokenHistory } from '../../contract/index.ts';
import { type DecodedToken, decodeContract, decodeToken, TokenError } from '../../token/index.ts';
import { asPlanchetError } from './build.ts';
import type { ChainReader } from './chain-reader.ts';
import { traceThrough } from './genuine.ts';

type Step = TokenHistory['steps'][number];

export interface HistoryContext {
  readonly chain: ChainReader;
  readonly addresses: AddressNetwork;
  /** Transactions that may continue the history: those of jobs and those that spent tokens of the wallet. */
  readonly candidates: readonly string[];
  readonly isOwn: (keyHash: Uint8Array) => boolean;
}

/** Most transactions of a history. */
const MAX_STEPS = 400;

/**
 * The history of a token: traced back to its contract with every step verified, and forward through the transactions known here.
 * @throws PlanchetError `not-found`, `invalid-input` for an output that is neither token nor contract, `upstream-*`
 */
export async function historyOf(outpoint: Outpoint, context: HistoryContext): Promise<TokenHistory> {
  const { chain } = context;
  const start = (await chain.get(outpoint.txid)).outputs[outpoint.vout];
  const token = start && decodeToken(start.script);
  const contract = start && decodeContract(start.script);
  if (!token && !contract) throw new PlanchetError('token.not-a-token', { outpoint: formatOutpoint(outpoint) });
  const verified = token ? await traceBack(outpoint, chain) : [outpoint.txid];
  const found = new Map(verified.map((txid): [string, boolean] => [txid, true]));
  await continueHistory(found, context);

  const symbol = token?.symbol ?? contract?.schema.symbol ?? '';
  const known = new Set<string>();
  const steps: Step[] = [];
  for (const [txid, isVerified] of found) {
    const step = stepOf(await chain.get(txid), txid, isVerified, known, context);
    // what was redeemed is money: a transaction that pays its fee with it spends no token
    for (const { outpoint: made, redeemed } of step.outputs) if (!redeemed) known.add(made);
    const block = await chain.block(txid);
    steps.push({ ...step, blockHeight: block?.height ?? null });
  }
  return { symbol, steps };
}

/** The transactions of a token's contracts and of all steps since, in order. */
async function traceBack(outpoint: Outpoint, chain: ChainReader): Promise<string[]> {
  try {
    const { origins, steps } = await traceThrough(chain, outpoint);
    return [...origins, ...steps].map(({ txid }) => txid);
  } catch (error) {
    throw error instanceof TokenError ? asPlanchetError(error) : error;
  }
}

/** Adds known transactions that spend what the history has made so far, until there are no more. */
async function continueHistory(found: Map<string, boolean>, { chain, candidates }: HistoryContext): Promise<void> {
  const made = new Set<string>();
  const note = async (txid: string): Promise<void> => {
    const tx = await chain.get(txid);
    for (const [vout, { script }] of tx.outputs.entries()) {
      if (decodeToken(script) || decodeContract(script)) made.add(formatOutpoint({ txid, vout }));
    }
  };
  for (const txid of found.keys()) await note(txid);
  const open = new Set(candidates.filter((txid) => !found.has(txid)));
  for (let grew = true; grew; ) {
    grew = false;
    for (const txid of open) {
      if (found.size >= MAX_STEPS) return;
      const tx = await chain.find(txid);
      if (!tx?.inputs.some((input) => made.has(formatOutpoint(input)))) continue;
      open.delete(txid);
      found.set(txid, false);
      await note(txid);
      grew = true;
    }
  }
}

function stepOf(
  tx: Tx,
  txid: string,
  verified: boolean,
  known: ReadonlySet<string>,
  { addresses, isOwn }: HistoryContext,
): Omit<Step, 'blockHeight'> {
  const inputs = tx.inputs.map(formatOutpoint).filter((outpoint) => known.has(outpoint));
  const isContract = tx.outputs.some(({ script }) => decodeContract(script));
  const tokens = tx.outputs.map(({ script }) => decodeToken(script));
  const first = tx.outputs[0];
  const isRedemption =
    !isContract && inputs.length > 0 && first !== undefined && parseP2pkh(first.script) !== undefined;
  const outputs = tx.outputs.flatMap(({ satoshis, script }, vout) => {
    const redeemed = isRedemption && vout === 0;
    const counts = decodeContract(script) !== undefined || tokens[vout] !== undefined || redeemed;
    const hash = leadingP2pkh(script);
    if (!counts || hash === undefined) return [];
    const outpoint = formatOutpoint({ txid, vout });
    return [{ outpoint, satoshis, address: encodeAddress(hash, addresses), own: isOwn(hash), redeemed }];
  });
  return { txid, action: actionOf({ tx, isContract, isRedemption, inputs, tokens }), verified, inputs, outputs };
}

function actionOf(facts: {
  tx: Tx;
  isContract: boolean;
  isRedemption: boolean;
  inputs: readonly string[];
  tokens: readonly (DecodedToken | undefined)[];
}): Step['action'] {
  const made = facts.tokens.filter((token) => token !== undefined);
  if (facts.isContract) return 'contract';
  if (facts.isRedemption) return made.length > 0 ? 'redeemSplit' : 'redeem';
  if (facts.inputs.length > 1) return made.length > 1 ? 'mergeSplit' : 'merge';
  const issuer = made[0]?.redemption;
  const key = facts.tx.inputs[0]?.script.subarray(-33);
  // an issue spends the contract with the issuer's key and nothing but a signature before it
  const isIssue = issuer !== undefined && key !== undefined && (facts.tx.inputs[0]?.script.length ?? 0) <= 108;
  if (isIssue) return 'issue';
  return made.length > 1 ? 'split' : 'transfer';
}
