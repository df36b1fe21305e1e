import {
  decodeAddress,
  equalBytes,
  formatOutpoint,
  ownerKeyHash,
  parseBlock,
  parseOutpoint,
  parseTx,
  type Tx,
  txidOf,
} from '../../../chain/index.ts';
import { PlanchetError, type Receipt } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';

/** Larger blocks, in bytes, are not searched. */
const LARGEST_BLOCK = 8_000_000;
const MOST_IN_MEMPOOL = 2_000;

type Paid = Omit<Receipt, 'unspent'>;

/**
 * The outputs that pay an address, tokens among them, by the wallet's rule for whose a script is.
 * @param heights of the blocks to be searched; left out for the mempool
 * @throws PlanchetError `address-invalid`, `not-found` for a height without a block, `upstream-*`
 */
export async function receiptsOf(
  chainData: ChainData,
  address: string,
  heights: readonly number[] | undefined,
): Promise<{ receipts: Receipt[]; skipped: number }> {
  const owner = decodeAddress(address).pubKeyHash;
  const found =
    heights === undefined
      ? [await inMempool(chainData, owner)]
      : await Promise.all(heights.map((height) => inBlock(chainData, owner, height)));
  const paid = found.flatMap((one) => one ?? []);
  const states = await Promise.all(
    paid.map(async ({ outpoint }) => (await chainData.output(parseOutpoint(outpoint))).value),
  );
  return {
    receipts: paid.map((one, at) => ({ ...one, unspent: states[at]?.state === 'unspent' })),
    skipped: found.filter((one) => one === undefined).length,
  };
}

/** @returns undefined for a block that is too large */
async function inBlock(chainData: ChainData, owner: Uint8Array, height: number): Promise<Paid[] | undefined> {
  const { value: head } = await chainData.headerAt(height);
  if (head === undefined) throw new PlanchetError('chain.no-such-block');
  if ((head.size ?? 0) > LARGEST_BLOCK) return undefined;
  const { value: raw } = await chainData.block(head.hash);
  if (raw === undefined) throw new PlanchetError('chain.no-such-block');
  return parseBlock(raw, true).transactions.flatMap((tx) => paidBy(tx, owner, head));
}

async function inMempool(chainData: ChainData, owner: Uint8Array): Promise<Paid[]> {
  const found: Paid[] = [];
  for (const txid of (await mempoolOf(chainData)).slice(0, MOST_IN_MEMPOOL)) {
    // One that was mined or dropped since the list was read is found in its block, or is gone.
    const { value: raw } = await chainData.transaction(txid);
    if (raw !== undefined) found.push(...paidBy(parseTx(raw), owner, { height: null, time: null }));
  }
  return found;
}

/** Ids of what waits for a block. @throws PlanchetError `upstream-*` also where there are too many */
export async function mempoolOf(chainData: ChainData): Promise<readonly string[]> {
  const { value: txids } = await chainData.mempool();
  if (txids === undefined) throw new PlanchetError('upstream.answer-too-large', { origin: chainData.name });
  return txids;
}

function paidBy(tx: Tx, owner: Uint8Array, { height, time }: Pick<Paid, 'height' | 'time'>): Paid[] {
  const vouts = tx.outputs.flatMap(({ script }, vout) => {
    const key = ownerKeyHash(script);
    return key !== undefined && equalBytes(key, owner) ? [vout] : [];
  });
  if (vouts.length === 0) return [];
  const txid = txidOf(tx);
  return vouts.map((vout) => {
    const satoshis = tx.outputs[vout]?.satoshis ?? 0;
    return { outpoint: formatOutpoint({ txid, vout }), satoshis, height, time };
  });
}
