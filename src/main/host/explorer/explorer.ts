import { difficultyOf, parseHeader, toHex, tscNodes } from '../../../chain/index.ts';
import { type BlockPart, type Contract, MAX_BLOCK_ROWS, PlanchetError, type Serves } from '../../../contract/index.ts';
import type { BlockHead, ChainData } from '../../ports/chain-data.ts';
import { describe } from './described.ts';
import { mempoolOf, receiptsOf } from './receipts.ts';

/** Of a larger mempool only the ids are listed. */
const MOST_DESCRIBED = 5_000;
/** So many ids of transactions are kept, and those of the last block in any case: about 100 bytes each. */
const MOST_IDS = 50_000;

/**
 * The chain for the page. A block may have so many transactions that their list holds up both sides: it is asked for once, and the page gets
 * the part that it shows.
 */
export function createExplorer(chainData: ChainData): Serves<Contract['explorer']> {
  const until = (signal: AbortSignal | undefined): ChainData =>
    signal === undefined ? chainData : chainData.until(signal);
  const known = new Map<string, readonly string[]>();
  const keep = (hash: string, txids: readonly string[]): void => {
    known.delete(hash);
    known.set(hash, txids);
    let ids = [...known.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of known) {
      if (ids <= MOST_IDS || oldest === hash) break;
      known.delete(oldest);
      ids -= length;
    }
  };
  return {
    height: async (signal) => (await until(signal).tip()).value.height,
    blockAt: async ({ height }, signal) => {
      const data = until(signal);
      const { value: head } = await data.headerAt(height);
      if (head === undefined) throw new PlanchetError('chain.no-such-block');
      const { hash, time, size = null, merkleRoot, transactions = null } = head;
      // A block with a coinbase alone has no fees, and some nodes refuse its statistics.
      const alone = { fees: 0, value: 0, payingBytes: 0 };
      const totals = transactions === 1 ? alone : (await data.totals(hash)).value;
      const { fees = null, value = null, payingBytes = null } = totals ?? {};
      return { hash, height, time, size, merkleRoot, transactions, fees, value, payingBytes };
    },
    block: async ({ hash, search, from }, signal) => {
      const data = until(signal);
      const { value: main } = await data.header(hash);
      const head = main ?? (await data.headerAnywhere(hash)).value;
      if (head === undefined) throw new PlanchetError('chain.no-such-block');
      const txids = known.get(hash) ?? (await listed(data, head));
      if (txids !== undefined) keep(hash, txids);
      const onChain = main === undefined ? { confirmations: null, next: null } : await placeOnChain(data, main);
      return { ...factsOf(head), ...onChain, ...partOf(head, txids, search.toLowerCase(), from) };
    },
    described: ({ txids }, signal) => describe(until(signal), txids),
    mempool: async (signal) => {
      const data = until(signal);
      const { value: described } = await data.waiting(MOST_DESCRIBED);
      if (described !== undefined) return [...described];
      return (await mempoolOf(data)).map((txid) => ({ txid, size: null, fee: null, time: null }));
    },
    proof: async ({ txid, blockHash }, signal) => {
      const { value: found } = await until(signal).inclusion(txid, blockHash);
      if (found === undefined) throw new PlanchetError('chain.no-such-block');
      return { index: found.path.index, nodes: tscNodes(found.path), header: toHex(found.header) };
    },
    receipts: ({ address, heights }, signal) => receiptsOf(until(signal), address, heights),
  };
}

/** The ids of a block's transactions. For a block that the node has pruned, public services list them, which is checked against the header. */
async function listed(chainData: ChainData, head: BlockHead): Promise<readonly string[] | undefined> {
  const { value: listing } = await chainData.listing(head);
  if (listing !== undefined || (head.transactions ?? 0) > MOST_IDS) return listing?.txids;
  const other = chainData.beside?.listing(head).catch((error: unknown) => {
    // what else is known of the block is shown
    if (!(error instanceof PlanchetError) || error.code === 'cancelled') throw error;
    return undefined;
  });
  return (await other)?.value?.txids;
}

async function placeOnChain(chainData: ChainData, { height }: BlockHead) {
  const [{ value: tip }, { value: next = null }] = await Promise.all([chainData.tip(), chainData.hashAt(height + 1)]);
  return { confirmations: Math.max(1, tip.height - height + 1), next };
}

function factsOf({ hash, height, time, size, header, merkleRoot, previousHash }: BlockHead) {
  const { version, nonce, bits } = parseHeader(header);
  const previous = height === 0 ? null : previousHash;
  return {
    hash,
    height,
    time,
    size: size ?? null,
    version,
    nonce,
    difficulty: difficultyOf(bits),
    merkleRoot,
    previous,
  };
}

function partOf(
  { transactions }: BlockHead,
  txids: readonly string[] | undefined,
  search: string,
  from: number,
): Pick<BlockPart, 'transactions' | 'found' | 'rows'> {
  if (txids === undefined) return { transactions: transactions ?? null, found: null, rows: [] };
  const rows: BlockPart['rows'] = [];
  let found = 0;
  for (const [position, txid] of txids.entries()) {
    if (search !== '' && !txid.includes(search)) continue;
    if (found >= from && rows.length < MAX_BLOCK_ROWS) rows.push({ position, txid });
    found++;
  }
  return { transactions: txids.length, found, rows };
}
