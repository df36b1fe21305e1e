import { isCoinbase, isDataOutput, scanSingleTx } from '../../../chain/index.ts';
import { amount } from '../../node-format/json.ts';
import { asHash, failure, optionalBoolean } from '../../node-format/params.ts';
import type { RpcObject } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { spenderOf } from './output-commands.ts';
import { notKnown } from './transaction-commands.ts';

/** Transactions that one may spend from, and that an answer may name. Each of them takes several requests. */
const MOST_PARENTS = 100;
/** Outputs of which it is asked what spends them. */
const MOST_OUTPUTS = 100;
const NOT_IN_MEMPOOL = 'Transaction not in mempool';

/** A transaction that no block holds. */
interface Waiting {
  readonly txid: string;
  readonly raw: Uint8Array;
  readonly fee: number;
  /** Those that wait and that it spends from. */
  readonly parents: readonly Waiting[];
}

/** @throws NodeRpcError -5 where a block holds it, or nobody knows of it */
async function bytesWaiting({ chainData }: PublicContext, txid: string): Promise<Uint8Array> {
  const placed = await chainData.placed(txid);
  if (placed.value === undefined) throw notKnown(placed, failure('notFound', NOT_IN_MEMPOOL));
  if (placed.value.block !== null) throw failure('notFound', NOT_IN_MEMPOOL);
  return placed.value.raw;
}

/** A transaction with all that it builds on; undefined where that is more than is asked for. */
async function waiting(
  context: PublicContext,
  txid: string,
  raw: Uint8Array,
  known: Map<string, Waiting>,
): Promise<Waiting | undefined> {
  const tx = await inTurns(scanSingleTx(raw));
  const inputs = [...tx.inputs()];
  const spent = [...new Set(inputs.map((input) => input.txid))];
  if (known.size + spent.length > MOST_PARENTS || isCoinbase({ inputs })) return undefined;
  const found = await context.chainData.transactions(spent);
  const outputs = new Map<string, readonly number[]>();
  const parents: Waiting[] = [];
  for (const id of spent) {
    const bytes = found.get(id);
    if (bytes === undefined) return undefined;
    const parent = await inTurns(scanSingleTx(bytes));
    const amounts = [...parent.outputs()].map(({ satoshis }) => satoshis);
    outputs.set(id, amounts);
    const { value } = await context.chainData.placeOf(id, bytes);
    if (value !== null) continue;
    const one = known.get(id) ?? (await waiting(context, id, bytes, known));
    if (one === undefined) return undefined;
    parents.push(one);
  }
  const paid = inputs.reduce((sum, input) => sum + (outputs.get(input.txid)?.[input.vout] ?? Number.NaN), 0);
  const kept = [...tx.outputs()].reduce((sum, { satoshis }) => sum + satoshis, 0);
  if (!Number.isSafeInteger(paid - kept)) return undefined;
  const one = { txid, raw, fee: paid - kept, parents };
  known.set(txid, one);
  return one;
}

/** All that one builds on by its id, the nearest first, as a node lists them. */
function ancestorsOf(start: Waiting): ReadonlyMap<string, Waiting> {
  const found = new Map<string, Waiting>();
  const open = [start];
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const parent of one.parents) {
      if (found.has(parent.txid)) continue;
      found.set(parent.txid, parent);
      open.push(parent);
    }
  return found;
}

/**
 * All that spends from one in the mempool, by its id, as operators say; in the order in which a node lists them. Undefined where that is more than
 * is asked for. @throws PlanchetError as {@link spenderOf}
 */
async function descendantsOf(
  context: PublicContext,
  start: { readonly txid: string; readonly raw: Uint8Array },
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const found = new Map<string, Uint8Array>();
  const open = [start];
  let asked = 0;
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const tx = await inTurns(scanSingleTx(one.raw));
    if (asked + tx.outputCount > MOST_OUTPUTS) return undefined;
    for (const [vout, { script }] of [...tx.outputs()].entries()) {
      if (isDataOutput(script)) continue;
      asked += 1;
      const spender = await spenderOf(context, { txid: one.txid, vout });
      if (spender === undefined || spender.txid === start.txid || found.has(spender.txid)) continue;
      found.set(spender.txid, spender.raw);
      open.push(spender);
    }
  }
  return found;
}

/** The MEMENTRY object. When it came is known of our own alone, and at which height of nothing. */
async function entryOf(context: PublicContext, { txid, raw, fee, parents }: Waiting): Promise<RpcObject> {
  const since = await context.ownSince(txid);
  return {
    size: raw.length,
    fee: amount(fee),
    modifiedfee: amount(fee),
    time: since === undefined ? undefined : Math.floor(since / 1_000),
    depends: parents.map((parent) => parent.txid).sort(),
  };
}

export const mempoolCommands: PublicCommands = {
  getmempoolentry: async (context, [id]) => {
    const txid = asHash(id, 'parameter 1');
    const one = await waiting(context, txid, await bytesWaiting(context, txid), new Map());
    return one && entryOf(context, one);
  },
  getmempooldescendants: async (context, [id, verbose]) => {
    const isDetailed = optionalBoolean(verbose, false);
    const txid = asHash(id, 'parameter 1');
    const descendants = await descendantsOf(context, { txid, raw: await bytesWaiting(context, txid) });
    if (descendants === undefined) return undefined;
    if (!isDetailed) return [...descendants.keys()];
    const known = new Map<string, Waiting>();
    const entries: RpcObject = {};
    for (const [child, raw] of descendants) {
      const one = await waiting(context, child, raw, known);
      if (one === undefined) return undefined;
      entries[child] = await entryOf(context, one);
    }
    return entries;
  },
  getmempoolinfo: async ({ mempool }) => {
    const told = await mempool?.figures();
    if (told === undefined) return undefined;
    const { size, bytes, usage, most: maxmempool, leastFee } = told;
    return { size, bytes, usage, maxmempool, mempoolminfee: amount(leastFee) };
  },
  // an object for each would take several requests for each
  getrawmempool: async ({ mempool }, [verbose]) => (optionalBoolean(verbose, false) ? undefined : mempool?.ids()),
  getmempoolancestors: async (context, [id, verbose]) => {
    const isDetailed = optionalBoolean(verbose, false);
    const txid = asHash(id, 'parameter 1');
    const start = await waiting(context, txid, await bytesWaiting(context, txid), new Map());
    if (start === undefined) return undefined;
    const ancestors = ancestorsOf(start);
    if (!isDetailed) return [...ancestors.keys()];
    const entries: RpcObject = {};
    for (const one of ancestors.values()) entries[one.txid] = await entryOf(context, one);
    return entries;
  },
};
