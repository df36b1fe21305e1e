import { formatOutpoint, type Outpoint, parseTx } from '../../../chain/index.ts';
import { chunks } from '../../chunks.ts';
import type { Answer, BlockPlace, ChainData } from '../../ports/chain-data.ts';

/** Blocks that are read to find who spent a coin. */
const MAX_BLOCKS = 1_000;
const AT_ONCE = 8;

/** A transaction whose inputs are looked up. */
export interface Spending {
  readonly txid: string;
  readonly rawTx: Uint8Array;
  /** The transaction that a miner named as spending the same coin. */
  readonly suspect: string | null;
}

type Place = Answer<BlockPlace | null>;

/** Who spent an input of a transaction. */
export type Rival =
  | { readonly where: 'block'; readonly txid: string; readonly block: BlockPlace }
  /** One that waits in the mempool; it may still lose. */
  | { readonly where: 'mempool' };

/** By outpoint: the transactions that spend it, and the height of the block that made it. */
type Wanted = Map<string, { readonly txids: string[]; readonly from: number }>;

/**
 * Finds the transactions of the main chain that spent the inputs of others.
 * @returns by txid; those whose inputs nobody spent are left out
 * @throws PlanchetError `upstream-*`
 */
export async function findRivals(
  chainData: ChainData,
  spendings: readonly Spending[],
  signal: AbortSignal,
): Promise<Map<string, Rival>> {
  const rivals = new Map<string, Rival>();
  const wanted: Wanted = new Map();
  // many may spend one parent, and a node lists all of its outputs to say where it is
  const asked = new Map<string, Promise<Place>>();
  const placeOf = (txid: string): Promise<Place> => {
    const place = asked.get(txid) ?? chainData.placeOf(txid);
    asked.set(txid, place);
    return place;
  };
  for (const some of chunks(spendings, AT_ONCE)) {
    signal.throwIfAborted();
    await Promise.all(some.map((spending) => ask(chainData, spending, rivals, wanted, placeOf)));
  }
  await readBlocks(chainData, wanted, rivals, signal);
  return rivals;
}

async function ask(
  chainData: ChainData,
  spending: Spending,
  rivals: Map<string, Rival>,
  wanted: Wanted,
  placeOf: (txid: string) => Promise<Place>,
): Promise<void> {
  const { txid, rawTx, suspect } = spending;
  const { inputs } = parseTx(rawTx);
  const place = suspect === null ? undefined : (await placeOf(suspect)).value;
  if (place && suspect !== null && (await doesSpend(chainData, suspect, inputs))) {
    rivals.set(txid, { where: 'block', txid: suspect, block: place });
    return;
  }
  for (const input of inputs) {
    if (chainData.withoutLists === true) {
      const rival = await namedRival(chainData, txid, input);
      if (rival !== undefined) rivals.set(txid, rival);
      if (rival?.where === 'block') return;
      continue;
    }
    const { value: output } = await chainData.output(input);
    if (output?.state === 'unspent') continue;
    if (output?.state === 'spent') {
      rivals.set(txid, { where: 'mempool' });
      continue;
    }
    // A coin that no block made was not spent by one either.
    const { value: made } = await placeOf(input.txid);
    if (!made) continue;
    const outpoint = formatOutpoint(input);
    const others = wanted.get(outpoint)?.txids ?? [];
    wanted.set(outpoint, { txids: [...others, txid], from: made.height });
  }
}

/** Who keeps an index of spends names what spent an input, with its bytes; a path to the verified headers shows that a block holds it. */
async function namedRival(chainData: ChainData, txid: string, input: Outpoint): Promise<Rival | undefined> {
  const { spender } = await chainData.spends(input);
  if (spender === undefined || spender.txid === txid) return undefined;
  const { value: block } = await chainData.placeOf(spender.txid, spender.raw);
  return block ? { where: 'block', txid: spender.txid, block } : { where: 'mempool' };
}

async function doesSpend(chainData: ChainData, txid: string, coins: readonly Outpoint[]): Promise<boolean> {
  const { value: raw } = await chainData.transaction(txid);
  if (raw === undefined) return false;
  const spent = new Set(parseTx(raw).inputs.map(formatOutpoint));
  return coins.some((coin) => spent.has(formatOutpoint(coin)));
}

/** Reads blocks from the tip down to those that made the coins. */
async function readBlocks(
  chainData: ChainData,
  wanted: Wanted,
  rivals: Map<string, Rival>,
  signal: AbortSignal,
): Promise<void> {
  if (wanted.size === 0) return;
  const { height: tip } = (await chainData.tip()).value;
  for (let height = tip; height > tip - MAX_BLOCKS && wanted.size > 0; height--) {
    signal.throwIfAborted();
    for (const [outpoint, { from }] of wanted) if (from > height) wanted.delete(outpoint);
    if (wanted.size === 0) return;
    const { value: hash } = await chainData.hashAt(height);
    const found =
      hash === undefined ? undefined : (await chainData.search({ hash, height }, { outpoints: wanted })).value;
    if (hash === undefined || found === undefined) return;
    for (const { txid, inputs } of found.transactions) {
      for (const outpoint of inputs.map(formatOutpoint)) {
        const beaten = wanted.get(outpoint)?.txids ?? [];
        wanted.delete(outpoint);
        for (const one of beaten) if (one !== txid) rivals.set(one, { where: 'block', txid, block: { hash, height } });
      }
    }
  }
}
