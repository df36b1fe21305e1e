import { isCoinbase, scanSingleTx } from '../../../chain/index.ts';
import { amount } from '../../node-format/json.ts';
import { asHash, failure, optionalBoolean } from '../../node-format/params.ts';
import type { RpcObject } from '../../node-format/views.ts';
import { inTurns } from '../../pause.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import { notKnown } from './transaction-commands.ts';

/** Transactions that one may spend from, and that an answer may name. Each of them takes several requests. */
const MOST_PARENTS = 100;
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
    outputs.set(
      id,
      [...parent.outputs()].map(({ satoshis }) => satoshis),
    );
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
