import {
  formatOutpoint,
  type Outpoint,
  parseTxInSteps,
  type Satoshis,
  sentence,
  verifyInSteps,
} from '../../chain/index.ts';
import { readTemplates } from '../covenant/read-template.ts';
import { KNOWN_TEMPLATES, type TokenTemplate } from '../covenant/template.ts';
import { ParameterError } from '../errors.ts';
import { type DecodedToken, decodeToken } from '../parameters/decode.ts';
import { guardedAsync, readOptions } from '../values/values.ts';
import { TraceBudget, type TraceLimits } from './budget.ts';
import { broken, type FetchTx, TxLoader } from './loader.ts';
import { outputsOf, type TokenOrigin, type TraceStep, type Visit, type VisitContext, visitTx } from './visit.ts';

export interface TraceOptions extends TraceLimits {
  /** Token scripts of the history; defaults to this project's. */
  readonly templates?: readonly TokenTemplate[];
}

export interface TokenTrace {
  readonly token: DecodedToken;
  readonly satoshis: Satoshis;
  /** One entry, or more if tokens of several contracts were merged; each contract is listed once. */
  readonly origins: readonly TokenOrigin[];
  /** From the issue to the transaction that created the token, in dependency order. */
  readonly steps: readonly TraceStep[];
}

/**
 * Traces a token back to its contract. First it fetches the complete history and checks its structure: every transaction matches its
 * txid, no output is spent twice, outputs do not exceed inputs, no transaction creates more of the token than it spends, and each contract
 * is issued exactly once and completely. Only then does it run all scripts, starting with the issue. It does not check that the
 * transactions are mined; that is up to `fetchTx`.
 *
 * The work stays within {@link TraceLimits} and yields to the event loop.
 * @param outpoint txid in either case
 * @throws TokenError `trace-invalid` naming the transaction at fault; `trace-unavailable` with the cause if `fetchTx` throws;
 *   `trace-limit` naming the exceeded limit (the token may still be real); `trace-aborted`; `parameter-invalid`
 * @example (await traceToken({ txid, vout: 0 }, (id) => node.rawTransaction(id))).origins[0]?.schema.symbol
 */
export async function traceToken(
  outpoint: Outpoint,
  fetchTx: FetchTx,
  options: TraceOptions = {},
): Promise<TokenTrace> {
  return guardedAsync('options', () => trace(outpoint, fetchTx, options));
}

async function trace(outpoint: Outpoint, fetchTx: FetchTx, options: TraceOptions): Promise<TokenTrace> {
  const { txid, vout } = readOutpoint(outpoint);
  if (typeof fetchTx !== 'function')
    throw new ParameterError('parameter-missing', 'fetchTx', 'A function that fetches transactions is missing.');
  const { templates: given, ...limits } = readOptions(options, 'options');
  const templates = given === undefined ? KNOWN_TEMPLATES : readTemplates(given);
  const budget = new TraceBudget(limits);
  const loader = new TxLoader(fetchTx, budget);
  const [output] = await budget.run(outputsOf(await loader.load(txid), txid, new Set([vout])), txid);
  const token = output && decodeToken(output.lockingScript, templates);
  if (output === undefined || token === undefined)
    throw broken(txid, sentence('its output {vout} is no token', { vout }));
  if (output.satoshis < 1) throw broken(txid, sentence('its output {vout} holds nothing', { vout }));

  const context: VisitContext = { loader, budget, token, templates };
  const ordered = inOrder(txid, await visitAll(txid, context));
  requireCovered(txid, output.satoshis, ordered);
  for (const visit of ordered) await runScripts(visit, context);
  return {
    token,
    satoshis: output.satoshis,
    origins: ordered.flatMap(({ origin }) => (origin ? [origin] : [])),
    steps: ordered.map(({ step }) => step),
  };
}

/** All transactions of the history by txid. @throws TokenError `trace-invalid` if two of them spend the same output */
async function visitAll(last: string, context: VisitContext): Promise<Map<string, Visit>> {
  const visits = new Map<string, Visit>();
  const spenders = new Map<string, string>();
  const open = [last];
  for (let txid = open.pop(); txid !== undefined; txid = open.pop()) {
    if (visits.has(txid)) continue;
    context.budget.take('maxTransactions', 1, txid);
    const visit = await visitTx(txid, context);
    visits.set(txid, visit);
    for (const utxo of visit.spent) {
      const outpoint = formatOutpoint(utxo);
      const other = spenders.get(outpoint);
      if (other !== undefined)
        throw broken(txid, sentence('it spends {outpoint}, which {other} spends too', { outpoint, other }));
      spenders.set(outpoint, txid);
    }
    if (!visit.origin) for (const { txid: parent } of visit.step.inputs) open.push(parent);
  }
  return visits;
}

/** Sorts the transactions so that each follows those whose tokens it spends. */
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

/** Checks that the contracts' total minus the redeemed amount covers the token. */
function requireCovered(txid: string, satoshis: number, visits: readonly Visit[]): void {
  let covered = 0;
  for (const { step, origin } of visits) {
    if (origin) for (const output of step.outputs) covered += output.satoshis;
    covered -= step.redeemed;
  }
  if (covered < satoshis)
    throw broken(
      txid,
      sentence('the token holds {held} satoshis, its contracts only {covered} that were not redeemed', {
        held: satoshis,
        covered,
      }),
    );
}

async function runScripts({ step: { txid }, spent }: Visit, { loader, budget }: VisitContext): Promise<void> {
  const tx = await budget.run(parseTxInSteps((await loader.load(txid)).raw), txid);
  const verdict = await budget.run(verifyInSteps(tx, spent, budget.scripts), txid, true);
  if (verdict.ok) return;
  if (verdict.exceeded !== undefined) throw budget.exceededBy(verdict.exceeded, txid, verdict.reason);
  throw broken(
    txid,
    sentence('the scripts of its input {input} refuse it: {why}', { input: verdict.input, why: verdict.reason }),
  );
}

function readOutpoint(given: unknown): Outpoint {
  const { txid, vout } = (given ?? {}) as Partial<Outpoint>;
  const isTxid = typeof txid === 'string' && /^[0-9a-fA-F]{64}$/.test(txid);
  const isVout = typeof vout === 'number' && Number.isInteger(vout) && vout >= 0 && vout <= 0xffffffff;
  if (isTxid && isVout) return { txid: txid.toLowerCase(), vout };
  const message = isTxid
    ? 'The outpoint needs a vout, a whole number from 0.'
    : 'The outpoint needs a txid of 64 hex digits.';
  throw new ParameterError('parameter-invalid', isTxid ? 'outpoint.vout' : 'outpoint.txid', message);
}
