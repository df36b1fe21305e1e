import {
  equalBytes,
  formatOutpoint,
  hash160,
  isCoinbase,
  type LazyTx,
  MAX_SATOSHIS,
  type Outpoint,
  parseP2pkh,
  parseTxInSteps,
  type Satoshis,
  type Steps,
  satoshis,
  sentence,
  type Tx,
  type Utxo,
} from '../../chain/index.ts';
import type { TokenTemplate } from '../covenant/template.ts';
import { type DecodedToken, decodeToken, kindOf } from '../parameters/decode.ts';
import type { PublicKeyBytes } from '../parameters/params.ts';
import { decodeContract, type TokenSchema } from '../schema/schema.ts';
import type { TraceBudget } from './budget.ts';
import { broken, type TxLoader } from './loader.ts';

/** A contract from which a token, or part of it, was issued. */
export interface TokenOrigin extends Outpoint {
  readonly satoshis: Satoshis;
  /** The issuer's public key hash. */
  readonly issuer: Uint8Array;
  /** The issuer's public key, which signed the issue; `redeem` needs it as `contractPublicKey`. */
  readonly issuerKey: PublicKeyBytes;
  readonly schema: TokenSchema;
}

/** One transaction of a token's history. */
export interface TraceStep {
  readonly txid: string;
  readonly action: 'issue' | 'transfer' | 'split' | 'merge' | 'mergeSplit' | 'redeemSplit';
  /** Spent tokens of the kind; for an issue, the contract. */
  readonly inputs: readonly Outpoint[];
  /** Created tokens of the kind. */
  readonly outputs: readonly { readonly vout: number; readonly satoshis: Satoshis; readonly owner: Uint8Array }[];
  /** Satoshis redeemed to the issuer. */
  readonly redeemed: Satoshis;
}

/** A transaction of the history whose structure was checked, without running a script. */
export interface Visit {
  readonly step: TraceStep;
  readonly origin?: TokenOrigin;
  /** Spent outputs, in input order. */
  readonly spent: readonly Utxo[];
}

/** Shared state for checking the transactions of one history. */
export interface VisitContext {
  readonly loader: TxLoader;
  readonly budget: TraceBudget;
  readonly token: DecodedToken;
  readonly templates: readonly TokenTemplate[];
}

/** Lengths of public keys, which end an unlocking script. */
const KEY_LENGTHS = [33, 65] as const;

/**
 * Checks the structure of one transaction: the outputs it spends exist and are spent once, its outputs do not exceed its inputs, and it
 * either creates no more of the token than it spends, or issues a contract of the token's issuer.
 * @throws TokenError `trace-invalid`, `trace-unavailable`, `trace-limit`, `trace-aborted`
 */
export async function visitTx(txid: string, context: VisitContext): Promise<Visit> {
  const { loader, budget, token, templates } = context;
  const walked = await loader.load(txid);
  budget.takeParts(walked.inputCount + walked.outputCount, txid);
  const tx = await budget.run(parseTxInSteps(walked.raw), txid);
  if (tx.inputs.length === 0 || isCoinbase(tx)) throw broken(txid, 'it spends nothing');
  const inputs = new Set(tx.inputs.map(formatOutpoint));
  if (inputs.size < tx.inputs.length) throw broken(txid, 'it spends one output twice');

  const spent = await spentBy(tx, txid, context);
  const [supplied, paid] = [sum(spent, txid), sum(tx.outputs, txid)];
  if (paid > supplied)
    throw broken(txid, sentence('its outputs hold {paid} satoshis, its inputs {supplied}', { paid, supplied }));

  const kind = kindOf(token);
  const into: Utxo[] = [];
  for (const utxo of spent) {
    if (isOfKind(decodeToken(utxo.lockingScript, templates), kind)) into.push(utxo);
    const paused = budget.pause(txid);
    if (paused) await paused;
  }
  const made: { vout: number; satoshis: Satoshis; token: DecodedToken }[] = [];
  for (const [vout, output] of tx.outputs.entries()) {
    const decoded = decodeToken(output.script, templates);
    if (decoded) made.push({ vout, satoshis: output.satoshis, token: decoded });
    const paused = budget.pause(txid);
    if (paused) await paused;
  }
  const outputs = made
    .filter((output) => isOfKind(output.token, kind))
    .map(({ vout, satoshis, token: { owner } }) => ({ vout, satoshis, owner }));
  if (into.length > 0) return { step: stepOf(tx, txid, token, into, outputs), spent };
  // an issue may create tokens with different data: together they are the supply
  const origin = originOf({ tx, txid, token, spent, issued: sum(made, txid) });
  const contract: Outpoint = { txid: origin.txid, vout: origin.vout };
  return { step: { txid, action: 'issue', inputs: [contract], outputs, redeemed: satoshis(0) }, origin, spent };
}

/** The outputs that a transaction spends. Inputs are counted before anything is fetched for them. */
async function spentBy(tx: Tx, txid: string, { loader, budget }: VisitContext): Promise<Utxo[]> {
  const wanted = new Map<string, Set<number>>();
  for (const { txid: parent, vout } of tx.inputs) {
    const vouts = wanted.get(parent);
    if (vouts) vouts.add(vout);
    else wanted.set(parent, new Set([vout]));
  }
  const missing = loader.missing(new Set(wanted.keys()));
  if (missing > budget.left.fetches) budget.take('maxFetches', missing, txid);
  const found = new Map<string, Utxo>();
  for (const [parent, vouts] of wanted) {
    const walked = await loader.load(parent);
    for (const utxo of await budget.run(outputsOf(walked, parent, vouts), parent))
      found.set(formatOutpoint(utxo), utxo);
  }
  return tx.inputs.map((input) => found.get(formatOutpoint(input)) as Utxo);
}

const STEP_OUTPUTS = 512;

/** Selected outputs of a transaction. @throws TokenError `trace-invalid` if one does not exist */
export function* outputsOf(walked: LazyTx, txid: string, vouts: ReadonlySet<number>): Steps<Utxo[]> {
  const missing = [...vouts].find((vout) => vout >= walked.outputCount);
  if (missing !== undefined) throw broken(txid, sentence('it has no output {missing}', { missing }));
  const found: Utxo[] = [];
  let vout = 0;
  for (const { satoshis, script } of walked.outputs()) {
    if (vouts.has(vout)) found.push({ txid, vout, satoshis, lockingScript: script });
    if (found.length === vouts.size) break;
    vout += 1;
    if (vout % STEP_OUTPUTS === 0) yield '';
  }
  return found;
}

function isOfKind(token: DecodedToken | undefined, kind: Uint8Array): boolean {
  return token !== undefined && equalBytes(kindOf(token), kind);
}

function stepOf(
  tx: Tx,
  txid: string,
  token: DecodedToken,
  into: readonly Utxo[],
  outputs: TraceStep['outputs'],
): TraceStep {
  const available = sum(into, txid);
  const made = sum(outputs, txid);
  const redeemed = available - made;
  const first = tx.outputs[0];
  const isRedemption =
    first !== undefined && equalBytes(parseP2pkh(first.script) ?? new Uint8Array(), token.redemption);
  // change may go to the redemption hash too: only the amount missing from the tokens was redeemed
  if (redeemed < 0 || (redeemed > 0 && !(isRedemption && first.satoshis === redeemed)))
    throw broken(txid, sentence('{available} satoshis of the token go in and {made} come out', { available, made }));
  return {
    txid,
    action: actionOf(into.length, outputs.length, redeemed),
    inputs: into.map(({ txid, vout }) => ({ txid, vout })),
    outputs,
    redeemed: satoshis(redeemed),
  };
}

function originOf(issue: {
  readonly tx: Tx;
  readonly txid: string;
  readonly token: DecodedToken;
  readonly spent: readonly Utxo[];
  readonly issued: number;
}): TokenOrigin {
  const { tx, txid, token, spent, issued } = issue;
  const contracts = spent.flatMap((utxo, index) => {
    const fields = decodeContract(utxo.lockingScript);
    return fields ? [{ utxo, fields, index }] : [];
  });
  const [contract] = contracts;
  if (contract === undefined || contracts.length > 1)
    throw broken(txid, 'it spends neither a token of the kind nor exactly one contract');
  const { utxo, fields, index } = contract;
  if (!equalBytes(fields.issuer, token.redemption)) throw broken(txid, 'the contract is another issuer’s');
  if (fields.schema.symbol !== token.symbol) throw broken(txid, 'the contract is about another symbol');
  if (issued !== utxo.satoshis)
    throw broken(
      txid,
      sentence('it makes tokens of {issued} satoshis out of a contract of {held}', { issued, held: utxo.satoshis }),
    );
  const { script } = tx.inputs[index] as Tx['inputs'][number];
  const issuerKey = KEY_LENGTHS.map((length) => script.slice(-length)).find((key) =>
    equalBytes(hash160(key), fields.issuer),
  );
  if (issuerKey === undefined) throw broken(txid, 'the contract’s issuer did not sign it');
  const at: Outpoint = { txid: utxo.txid, vout: utxo.vout };
  return { ...at, satoshis: utxo.satoshis, issuer: fields.issuer, issuerKey, schema: fields.schema };
}

function actionOf(inputs: number, outputs: number, redeemed: number): TraceStep['action'] {
  if (redeemed > 0) return 'redeemSplit';
  if (inputs > 1) return outputs > 1 ? 'mergeSplit' : 'merge';
  return outputs > 1 ? 'split' : 'transfer';
}

/** @throws TokenError `trace-invalid` if the total exceeds the maximum supply: beyond that, numbers would be inexact */
function sum(amounts: readonly { readonly satoshis: number }[], txid: string): number {
  let total = 0;
  for (const { satoshis } of amounts) {
    total += satoshis;
    if (total > MAX_SATOSHIS) throw broken(txid, 'it moves more money than exists');
  }
  return total;
}
