import { ByteWriter, displayToHash, fromHex } from '../../../chain/index.ts';
import { membersOf } from '../messages/json-text.ts';

/** The height a node gives to outputs of the mempool. */
const MEMPOOL_HEIGHT = 0x7fff_ffff;

/** An unspent output as the path `getutxos` tells it. */
export interface Coin {
  readonly height: number;
  /** In BSV, as the node writes it. */
  readonly value: string;
  /** JSON of its locking script. */
  readonly script: string;
}

/**
 * @param text JSON of what `gettxout` gave
 * @param tip height of the tip it was given under
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
    // a version the node no longer keeps
    writer.u32le(0);
    writer.u32le(coin.height);
    writer.u64le(satoshisOf(coin.value));
    writer.varBytes(fromHex((JSON.parse(coin.script) as { hex: string }).hex));
  }
  return Buffer.from(writer.done()).toString('hex');
}

/** Satoshis of an amount in BSV, by its digits: a fraction of binary numbers would lose some. */
function satoshisOf(value: string): number {
  const [bsv = '0', fraction = ''] = value.split('.');
  return Number(bsv) * 100_000_000 + Number(fraction.padEnd(8, '0').slice(0, 8));
}
