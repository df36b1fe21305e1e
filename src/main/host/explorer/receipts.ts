import {
  decodeAddress,
  formatOutpoint,
  type Outpoint,
  ownerKeyHash,
  parseOutpoint,
  parseTx,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { PlanchetError, type Receipt } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';

/** Larger blocks, in bytes, are not searched. */
const LARGEST_BLOCK = 8_000_000;
const MOST_IN_MEMPOOL = 2_000;

type Paid = Omit<Receipt, 'unspent'>;
type Place = Pick<Paid, 'height' | 'time'>;

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
  const owner = ownerOf(address);
  const found =
    heights === undefined
      ? [await inMempool(chainData, owner)]
      : await Promise.all(heights.map((height) => inBlock(chainData, owner, height)));
  const all = found.flatMap((one) => one ?? []);
  const states = await Promise.all(
    all.map(async ({ outpoint }) => (await chainData.output(parseOutpoint(outpoint))).value),
  );
  return {
    receipts: all.map((one, at) => ({ ...one, unspent: states[at]?.state === 'unspent' })),
    skipped: found.filter((one) => one === undefined).length,
  };
}

function ownerOf(address: string): string {
  try {
    return toHex(decodeAddress(address).pubKeyHash);
  } catch (error) {
    throw new PlanchetError('token.address-invalid', { address }, { cause: error });
  }
}

/** @returns undefined for a block that is too large */
async function inBlock(chainData: ChainData, owner: string, height: number): Promise<Paid[] | undefined> {
  const { value: head } = await chainData.headerAt(height);
  if (head === undefined) throw new PlanchetError('chain.no-such-block');
  if ((head.size ?? 0) > LARGEST_BLOCK) return undefined;
  const { value: found } = await chainData.search(head, { keys: new Set([owner]) });
  if (found === undefined) throw new PlanchetError('chain.no-such-block');
  return found.transactions.flatMap(({ txid, outputs }) =>
    outputs.map(({ vout, satoshis }) => paid({ txid, vout }, satoshis, head)),
  );
}

async function inMempool(chainData: ChainData, owner: string): Promise<Paid[]> {
  // One that was mined or dropped since the list was read is found in its block, or is gone.
  const waiting = await chainData.transactions((await mempoolOf(chainData)).slice(0, MOST_IN_MEMPOOL));
  return [...waiting.values()].flatMap((raw) => paidBy(parseTx(raw), owner, { height: null, time: null }));
}

/** Ids of what waits for a block. @throws PlanchetError `upstream-*` also where there are too many */
export async function mempoolOf(chainData: ChainData): Promise<readonly string[]> {
  if (chainData.withoutLists) throw new PlanchetError('chain.mempool-not-listed');
  const { value: txids } = await chainData.mempool();
  if (txids === undefined) throw new PlanchetError('upstream.answer-too-large', { origin: chainData.name });
  return txids;
}

function paidBy(tx: Tx, owner: string, place: Place): Paid[] {
  const paying = tx.outputs.flatMap(({ script, satoshis }, vout) => {
    const key = ownerKeyHash(script);
    return key !== undefined && toHex(key) === owner ? [{ vout, satoshis }] : [];
  });
  const txid = paying.length === 0 ? '' : txidOf(tx);
  return paying.map(({ vout, satoshis }) => paid({ txid, vout }, satoshis, place));
}

function paid(outpoint: Outpoint, satoshis: number, { height, time }: Place): Paid {
  return { outpoint: formatOutpoint(outpoint), satoshis, height, time };
}
