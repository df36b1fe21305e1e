import {
  equalBytes,
  fromHex,
  type Outpoint,
  parseP2pkh,
  parseTx,
  type Satoshis,
  satoshis,
  type Tx,
  txidOf,
  type Utxo,
  verifyScripts,
} from '../chain/index.ts';
import { type DecodedToken, decodeToken, kindOf } from './decode.ts';
import { type TokenError, TraceError } from './errors.ts';
import { decodeContract, type TokenSchema } from './schema.ts';
import { KNOWN_TEMPLATES, type TokenTemplate } from './template.ts';

/** Gives a transaction by its txid, as bytes, hex or parsed; undefined where it is unknown. */
export type FetchTx = (txid: string) => Promise<Uint8Array | string | Tx | undefined>;

export interface TraceOptions {
  readonly templates?: readonly TokenTemplate[];
  /** Transactions of the token's history that are looked at before giving up; 10,000 where absent. */
  readonly maxTransactions?: number;
}

/** The contract that a token, or a part of it, came from. */
export interface TokenOrigin extends Outpoint {
  readonly satoshis: Satoshis;
  /** The issuer's public key hash. */
  readonly issuer: Uint8Array;
  readonly schema: TokenSchema;
}

/** One transaction of a token's history. */
export interface TraceStep {
  readonly txid: string;
  readonly action: 'issue' | 'transfer' | 'split' | 'merge' | 'mergeSplit' | 'redeemSplit';
  /** Tokens of the kind that went in; of an issue, the contract. */
  readonly inputs: readonly Outpoint[];
  /** Tokens of the kind that came out. */
  readonly outputs: readonly { readonly vout: number; readonly satoshis: Satoshis; readonly owner: Uint8Array }[];
  /** Satoshis that left the token for its issuer. */
  readonly redeemed: Satoshis;
}

export interface TokenTrace {
  readonly token: DecodedToken;
  readonly satoshis: Satoshis;
  /** One, or more where tokens of several contracts were merged. */
  readonly origins: readonly TokenOrigin[];
  /** From the issue to the transaction that made the token, every transaction after those it depends on. */
  readonly steps: readonly TraceStep[];
}

const MAX_TRANSACTIONS = 10_000;

interface Visit {
  readonly step: TraceStep;
  readonly origin?: TokenOrigin;
}

/**
 * Follows a token back to the contract it was issued from. Every transaction on the way is held against its txid, has all its scripts
 * run, and is checked to make no more tokens than went in; the issue is checked to be signed by the contract's issuer and to make
 * exactly the contract's supply. Whether the transactions are mined is for `fetchTx` to know.
 * @throws TokenError `trace-invalid` naming the transaction where the history breaks.
 * @example (await traceToken({ txid, vout: 0 }, (id) => node.rawTransaction(id))).origins[0]?.schema.symbol
 */
export async function traceToken(
  outpoint: Outpoint,
  fetchTx: FetchTx,
  options: TraceOptions = {},
): Promise<TokenTrace> {
  const { templates = KNOWN_TEMPLATES, maxTransactions = MAX_TRANSACTIONS } = options;
  const load = cachedLoader(fetchTx);
  const output = outputOf(await load(outpoint.txid), outpoint);
  const token = decodeToken(output.lockingScript, templates);
  if (token === undefined) throw broken(outpoint.txid, `its output ${outpoint.vout} is no token`);

  const visits = new Map<string, Visit>();
  const open = [outpoint.txid];
  while (open.length > 0) {
    const txid = open.at(-1) as string;
    const visit = visits.get(txid) ?? (await visitTx(txid, token, load, templates));
    visits.set(txid, visit);
    if (visits.size > maxTransactions) throw broken(txid, `the history is longer than ${maxTransactions} transactions`);
    const ahead = visit.origin ? [] : visit.step.inputs.filter((input) => !visits.has(input.txid));
    open.pop();
    for (const { txid: parent } of ahead) open.push(parent);
  }
  const ordered = inOrder(outpoint.txid, visits);
  const origins = ordered.flatMap(({ origin }) => (origin ? [origin] : []));
  return { token, satoshis: output.satoshis, origins, steps: ordered.map(({ step }) => step) };
}

/** Every transaction after those whose tokens it spends. */
function inOrder(last: string, visits: ReadonlyMap<string, Visit>): Visit[] {
  const ordered = new Set<Visit>();
  const open = [{ txid: last, entered: false }];
  for (let top = open.pop(); top; top = open.pop()) {
    const visit = visits.get(top.txid);
    if (visit === undefined || ordered.has(visit)) continue;
    if (top.entered) ordered.add(visit);
    else {
      open.push({ txid: top.txid, entered: true });
      if (!visit.origin) for (const { txid } of visit.step.inputs) open.push({ txid, entered: false });
    }
  }
  return [...ordered];
}

type Load = (txid: string) => Promise<Tx>;

async function visitTx(
  txid: string,
  token: DecodedToken,
  load: Load,
  templates: readonly TokenTemplate[],
): Promise<Visit> {
  const tx = await load(txid);
  const spent: Utxo[] = [];
  for (const input of tx.inputs) spent.push(outputOf(await load(input.txid), input));
  const verdict = verifyScripts(tx, spent);
  if (!verdict.ok) throw broken(txid, `the scripts of its input ${verdict.input} refuse it: ${verdict.reason}`);

  const kind = kindOf(token);
  const isKind = (script: Uint8Array) => {
    const other = decodeToken(script, templates);
    return other !== undefined && equalBytes(kindOf(other), kind);
  };
  const outputs = tx.outputs.flatMap(({ satoshis, script }, vout) => {
    const made = isKind(script) ? decodeToken(script, templates) : undefined;
    return made ? [{ vout, satoshis, owner: made.owner }] : [];
  });
  const into = spent.filter(({ lockingScript }) => isKind(lockingScript));
  if (into.length === 0) return visitIssue(tx, txid, token, spent, outputs, templates);
  const available = sum(into);
  const made = sum(outputs);
  const first = tx.outputs[0];
  const isRedemption = first !== undefined && equalBytes(parseP2pkh(first.script) ?? kind, token.redemption);
  const redeemed = available - made;
  // change may go to the redemption hash too: only what is missing from the tokens was redeemed
  if (redeemed < 0 || (redeemed > 0 && !(isRedemption && first.satoshis === redeemed)))
    throw broken(txid, `${available} satoshis of the token go in and ${made} come out`);
  return {
    step: {
      txid,
      action: actionOf(into.length, outputs.length, redeemed),
      inputs: into.map(({ txid, vout }) => ({ txid, vout })),
      outputs,
      redeemed: satoshis(redeemed),
    },
  };
}

function visitIssue(
  tx: Tx,
  txid: string,
  token: DecodedToken,
  spent: readonly Utxo[],
  outputs: TraceStep['outputs'],
  templates: readonly TokenTemplate[],
): Visit {
  const contracts = spent.flatMap((utxo) => {
    const fields = decodeContract(utxo.lockingScript);
    return fields ? [{ utxo, fields }] : [];
  });
  const [contract] = contracts;
  if (contract === undefined || contracts.length > 1)
    throw broken(txid, 'it spends neither a token of the kind nor exactly one contract');
  const { utxo, fields } = contract;
  if (!equalBytes(fields.issuer, token.redemption)) throw broken(txid, 'the contract is another issuer’s');
  if (fields.schema.symbol !== token.symbol) throw broken(txid, 'the contract is about another symbol');
  // an issue may make tokens that differ in their data: together they are the supply
  const issued = sum(tx.outputs.filter(({ script }) => decodeToken(script, templates)));
  if (issued !== utxo.satoshis)
    throw broken(txid, `it makes tokens of ${issued} satoshis out of a contract of ${utxo.satoshis}`);
  const at: Outpoint = { txid: utxo.txid, vout: utxo.vout };
  return {
    step: { txid, action: 'issue', inputs: [at], outputs, redeemed: satoshis(0) },
    origin: { ...at, satoshis: utxo.satoshis, issuer: fields.issuer, schema: fields.schema },
  };
}

function actionOf(inputs: number, outputs: number, redeemed: number): TraceStep['action'] {
  if (redeemed > 0) return 'redeemSplit';
  if (inputs > 1) return outputs > 1 ? 'mergeSplit' : 'merge';
  return outputs > 1 ? 'split' : 'transfer';
}

function sum(amounts: readonly { readonly satoshis: number }[]): number {
  return amounts.reduce((total, { satoshis }) => total + satoshis, 0);
}

function outputOf(tx: Tx, { txid, vout }: Outpoint): Utxo {
  const output = tx.outputs[vout];
  if (output === undefined) throw broken(txid, `it has no output ${vout}`);
  return { txid, vout, satoshis: output.satoshis, lockingScript: output.script };
}

function cachedLoader(fetchTx: FetchTx): Load {
  const known = new Map<string, Tx>();
  return async (txid) => {
    const cached = known.get(txid);
    if (cached) return cached;
    const given = await fetchTx(txid);
    if (given === undefined) throw broken(txid, 'it is not known');
    let tx: Tx;
    let hashed: string;
    try {
      tx = typeof given === 'string' ? parseTx(fromHex(given)) : given instanceof Uint8Array ? parseTx(given) : given;
      hashed = txidOf(tx);
    } catch (error) {
      throw broken(txid, 'what was given for it is no transaction', error);
    }
    if (hashed !== txid) throw broken(txid, `what was given for it is ${hashed}`);
    known.set(txid, tx);
    return tx;
  };
}

function broken(txid: string, why: string, cause?: unknown): TokenError {
  const options = cause === undefined ? undefined : { cause };
  return new TraceError('trace-invalid', txid, `The history breaks at transaction ${txid}: ${why}.`, {}, options);
}
