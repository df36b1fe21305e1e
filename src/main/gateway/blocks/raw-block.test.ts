import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fromHex,
  headerHash,
  merkleRoot,
  satoshis,
  serializeBlock,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { hashOfRawBlock } from './raw-block.ts';

function blockOf(count: number): { hex: string; hash: string; transactions: Tx[] } {
  const transactions: Tx[] = Array.from({ length: count }, (_, n) => ({
    version: 1,
    inputs: [{ txid: '11'.repeat(32), vout: n, script: fromHex('51'), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(n), script: fromHex('6a01ff') }],
    lockTime: 0,
  }));
  const header = {
    version: 1,
    previousHash: '00'.repeat(32),
    merkleRoot: merkleRoot(transactions.map(txidOf)),
    time: 1_700_000_000,
    bits: 0x207fffff,
    nonce: 7,
  };
  return { hex: toHex(serializeBlock({ header, transactions })), hash: headerHash(header), transactions };
}

it('the hash of a raw block is that of its header if the transactions match its Merkle root', async () => {
  for (const count of [1, 2, 3, 7, 300]) {
    const { hex, hash } = blockOf(count);
    expect(await hashOfRawBlock(hex)).toBe(hash);
  }
});

it('the hash of a raw block is undefined, or that of another block, if any byte was changed', async () => {
  const { hex, hash } = blockOf(5);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: hex.length / 2 - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, change) => {
        const bytes = fromHex(hex);
        bytes[at] = (bytes[at] as number) ^ change;
        const found = await hashOfRawBlock(toHex(bytes));
        // bytes outside the Merkle root are covered by the hash
        expect(found).not.toBe(hash);
        if (at >= 80) expect(found).toBeUndefined();
      },
    ),
  );
});

it('the hash of a raw block is undefined where the last transactions are repeated under the same root', async () => {
  const { hex, transactions } = blockOf(3);
  const bytes = fromHex(hex);
  const last = transactions.at(-1) as Tx;
  const one = serializeBlock({
    header: { version: 1, previousHash: '00'.repeat(32), merkleRoot: '00'.repeat(32), time: 0, bits: 0, nonce: 0 },
    transactions: [last],
  }).slice(81);
  const repeated = new Uint8Array(bytes.length + one.length);
  repeated.set(bytes);
  repeated.set(one, bytes.length);
  repeated[80] = 4;
  expect(merkleRoot([...transactions, last].map(txidOf))).toBe(merkleRoot(transactions.map(txidOf)));
  expect(await hashOfRawBlock(toHex(repeated))).toBeUndefined();
});

it.each(['', 'xx', '00', '00'.repeat(80), '00'.repeat(81), 'ff'.repeat(100)])(
  'the hash of a raw block is undefined for the hex "%s"',
  async (hex) => {
    expect(await hashOfRawBlock(hex)).toBeUndefined();
  },
);

it('the hash of a raw block is computed in slices, so that other work runs in between', async () => {
  const { hex, hash } = blockOf(4_000);
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  expect(await hashOfRawBlock(hex)).toBe(hash);
  counting = false;
  expect(turns).toBeGreaterThan(2);
});
