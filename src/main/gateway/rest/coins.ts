import { ByteWriter, displayToHash, fromHex } from '../../../chain/index.ts';
import { membersOf } from '../messages/json-text.ts';

/** The height that a node reports for outputs in the mempool. */
const MEMPOOL_HEIGHT = 0x7fff_ffff;

/** An unspent output in the answer of `getutxos`. */
export interface Coin {
  readonly height: number;
  /** Amount in BSV, as the node writes it. */
  readonly value: string;
  /** JSON of its locking script. */
  readonly script: string;
}

/**
 * @param text the result of `gettxout` as JSON
 * @param tip height of the tip at that time
 */
export function coinOf(text: string, tip: number): Coin {
  const members = membersOf(text);
  const confirmations = Number(members.get('confirmations'));
  return {
    height: confirmations === 0 ? MEMPOOL_HEIGHT : tip - confirmations + 1,
    value: members.get('value') ?? '0.00000000',
    script: members.get('scriptPubKey') ?? '{}',
  };
}

export function coinsAsJson(height: number, tip: string, coins: readonly (Coin | undefined)[]): string {
  const bitmap = coins.map((coin) => (coin === undefined ? '0' : '1')).join('');
  const utxos = coins
    .filter((coin) => coin !== undefined)
    .map((coin) => `{"height":${coin.height},"value":${coin.value},"scriptPubKey":${coin.script}}`);
  return `{"chainHeight":${height},"chaintipHash":"${tip}","bitmap":"${bitmap}","utxos":[${utxos.join(',')}]}`;
}

/** @returns hex */
export function coinsAsHex(height: number, tip: string, coins: readonly (Coin | undefined)[]): string {
  const writer = new ByteWriter();
  writer.u32le(height);
  writer.bytes(displayToHash(tip));
  const bitmap = new Uint8Array(Math.ceil(coins.length / 8));
  coins.forEach((coin, at) => {
    if (coin !== undefined) bitmap[at >> 3] = (bitmap[at >> 3] as number) | (1 << (at & 7));
  });
  writer.varBytes(bitmap);
  const found = coins.filter((coin) => coin !== undefined);
  writer.varint(found.length);
  for (const coin of found) {
    // the version of the transaction, which nodes do not store any more
    writer.u32le(0);
    writer.u32le(coin.height);
    writer.u64le(satoshisOf(coin.value));
    writer.varBytes(fromHex((JSON.parse(coin.script) as { hex: string }).hex));
  }
  return Buffer.from(writer.done()).toString('hex');
}

/** Converts BSV to satoshis by the digits, because floating-point numbers would lose some. */
function satoshisOf(value: string): number {
  const [bsv = '0', fraction = ''] = value.split('.');
  return Number(bsv) * 100_000_000 + Number(fraction.padEnd(8, '0').slice(0, 8));
}
