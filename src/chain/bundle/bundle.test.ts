import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merkleBranch } from '../block/merkle.ts';
import { equalBytes, sha256, toHex } from '../encoding/bytes.ts';
import { ChainError } from '../errors.ts';
import { inscriptionScript } from '../inscription/inscription.ts';
import { satoshis } from '../transaction/amount.ts';
import { txidOf } from '../transaction/transaction.ts';
import { MAX_BUNDLE_BYTES, type ProofBundle, parseBundle, serializeBundle } from './format.ts';
import { readBundle, writeBundle } from './page.ts';
import { mineBlock, sampleBundle, sampleContents, spend } from './test-support/sample.ts';
import { verifyBundle } from './verify.ts';

const bundle = sampleBundle();
const file = writeBundle(bundle);
const [mint, move] = bundle.transactions as [ProofBundle['transactions'][0], ProofBundle['transactions'][0]];

/** The reason why a file or a bundle is refused. */
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ChainError && error.code === 'bundle-invalid') return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

const changed = (change: Partial<ProofBundle>) => refusal(() => verifyBundle({ ...bundle, ...change }));
const firstToken = (change: Partial<ProofBundle['tokens'][0]>) =>
  changed({ tokens: bundle.tokens.map((token, place) => (place === 0 ? { ...token, ...change } : token)) });
const firstBlock = (change: Partial<ProofBundle['blocks'][0]>) =>
  changed({ blocks: bundle.blocks.map((block, place) => (place === 0 ? { ...block, ...change } : block)) });

function replaced<T>(list: readonly T[], place: number, value: T): T[] {
  return list.map((each, index) => (index === place ? value : each));
}

function withByte(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  const copy = bytes.slice();
  copy[at % copy.length] = (copy[at % copy.length] as number) ^ mask;
  return copy;
}

/** Cases of a property: a quarter in `npm test`. */
const runs = (all: number): number => (process.env.PLANCHET_LONG ? all : all / 4);

describe('a bundle', () => {
  it('reads each transaction a fixed number of times, so that the time is linear in the number of blocks', () => {
    let looks = 0;
    const transactions = bundle.transactions.map((transaction) => ({
      ...transaction,
      get block() {
        looks += 1;
        return transaction.block;
      },
    }));
    expect(verifyBundle({ ...bundle, transactions }).blocks.length).toBeGreaterThan(1);
    // once to sort them by block, once to verify each
    expect(looks).toBe(2 * transactions.length);
  });

  it('round-trips and verifies from the mint to the last transfer', () => {
    const read = readBundle(file);
    expect(serializeBundle(read)).toBe(serializeBundle(bundle));
    const { tokens, blocks } = verifyBundle(read);
    expect(tokens).toMatchObject([
      {
        outpoint: `${txidOf(move.raw)}_0`,
        origin: `${txidOf(mint.raw)}_0`,
        contentType: 'image/svg+xml',
        sha256: toHex(sha256(sampleContents[0]?.content as Uint8Array)),
        metadata: sampleContents[0]?.map,
        block: { height: 301 },
      },
      { outpoint: `${txidOf(mint.raw)}_1`, contentType: 'text/plain;charset=utf-8', block: { height: 300 } },
    ]);
    expect(tokens.map(({ content }) => content)).toEqual(sampleContents.map(({ content }) => content));
    expect(blocks.map(({ work }) => work)).toEqual([2n, 2n]);
  });

  it('round-trips for any content and metadata', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => value.isWellFormed());
    const sample = fc.record({
      content: fc.uint8Array({ maxLength: 400 }),
      contentType: text,
      map: fc.dictionary(text, text, { maxKeys: 6, noNullPrototype: true }),
    });
    fc.assert(
      fc.property(sample, ({ content, contentType, map }) => {
        const script = inscriptionScript({ content, contentType, map, pubKeyHash: new Uint8Array(20) });
        const raw = spend('aa'.repeat(32), 0, [{ satoshis: satoshis(1), script }]);
        const block = mineBlock(500, 'bb'.repeat(32), [raw]);
        const made: ProofBundle = {
          network: 'sandbox',
          blocks: [block],
          transactions: [{ raw, block: 0, index: 1, nodes: merkleBranch(block.txids, 1) }],
          tokens: [{ outpoints: [`${txidOf(raw)}_0`], contentType, sha256: toHex(sha256(content)), metadata: map }],
        };
        const [token] = verifyBundle(readBundle(writeBundle(made))).tokens;
        expect(equalBytes(token?.content as Uint8Array, content)).toBe(true);
        expect(Object.entries(token?.metadata ?? {}).sort()).toEqual(Object.entries(map).sort());
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('the verification of a forged bundle fails', () => {
  it('with any byte of the file changed', () => {
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        refusal(() => verifyBundle(readBundle(withByte(file, at, mask))));
      }),
      { numRuns: runs(1_500) },
    );
  });

  it('with any part removed, repeated or inserted', () => {
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(300), fc.uint8Array({ maxLength: 20 }), (at, length, inserted) => {
        const altered = Buffer.concat([file.subarray(0, at), inserted, file.subarray(at + length)]);
        if (Buffer.compare(altered, file) === 0) return;
        refusal(() => verifyBundle(readBundle(altered)));
        refusal(() => verifyBundle(readBundle(file.subarray(0, at))));
      }),
      { numRuns: runs(600) },
    );
  });

  it('with any bit of a transaction, header, coinbase or path changed, even in a well-formed file', () => {
    const places = fc.constantFrom('raw', 'header', 'coinbase', 'nodes', 'coinbaseNodes');
    fc.assert(
      fc.property(places, fc.nat(1), fc.nat(20_000), fc.nat(7), (place, which, at, bit) => {
        const transaction = bundle.transactions[which] as typeof mint;
        const block = bundle.blocks[which] as ProofBundle['blocks'][0];
        const flip = (bytes: Uint8Array) => withByte(bytes, at, 1 << bit);
        const nodes = (list: readonly string[]) => {
          const level = at % list.length;
          const node = list[level] as string;
          return replaced(list, level, node === '*' ? 'ab'.repeat(32) : toHex(flip(Buffer.from(node, 'hex'))));
        };
        const forged: ProofBundle = {
          ...bundle,
          ...(place === 'raw' && {
            transactions: replaced(bundle.transactions, which, { ...transaction, raw: flip(transaction.raw) }),
          }),
          ...(place === 'nodes' && {
            transactions: replaced(bundle.transactions, which, { ...transaction, nodes: nodes(transaction.nodes) }),
          }),
          ...(place === 'header' && {
            blocks: replaced(bundle.blocks, which, { ...block, header: flip(block.header) }),
          }),
          ...(place === 'coinbase' && {
            blocks: replaced(bundle.blocks, which, { ...block, coinbase: flip(block.coinbase) }),
          }),
          ...(place === 'coinbaseNodes' && {
            blocks: replaced(bundle.blocks, which, { ...block, coinbaseNodes: nodes(block.coinbaseNodes) }),
          }),
        };
        refusal(() => verifyBundle(readBundle(writeBundle(forged))));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('with any value of the JSON replaced by another', () => {
    const json = JSON.parse(serializeBundle(bundle)) as Record<string, unknown>;
    const paths: (string | number)[][] = [];
    const walk = (value: unknown, path: (string | number)[]) => {
      if (path.length > 0) paths.push(path);
      if (Array.isArray(value)) for (const [at, each] of value.entries()) walk(each, [...path, at]);
      else if (typeof value === 'object' && value !== null) {
        for (const [key, each] of Object.entries(value)) walk(each, [...path, key]);
      }
    };
    walk(json, []);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
        const copy = structuredClone(json);
        const last = path.at(-1) as string;
        const holder = path
          .slice(0, -1)
          .reduce((at, key) => at[key] as Record<string, unknown>, copy as never as Record<string, unknown>);
        if (JSON.stringify(holder[last]) === JSON.stringify(value)) return;
        holder[last] = value;
        refusal(() => verifyBundle(parseBundle(JSON.stringify(copy).replaceAll('<', '\\u003c'))));
        delete holder[last];
        refusal(() => verifyBundle(parseBundle(JSON.stringify(copy).replaceAll('<', '\\u003c'))));
      }),
      { numRuns: runs(1_000), examples: [[['version'], { toString: false }]] },
    );
  });

  it('with the content of another token', () => {
    expect(firstToken({ sha256: bundle.tokens[1]?.sha256 as string })).toMatch(/does not have the hash/);
    expect(firstToken({ contentType: 'image/png' })).toMatch(/another type/);
    expect(firstToken({ metadata: { ...sampleContents[0]?.map, name: 'Sun' } })).toMatch(/metadata/);
  });

  it('with another header, height or network', () => {
    const other = mineBlock(300, '66'.repeat(32), []);
    expect(firstBlock({ header: other.header })).toMatch(/header is not that of the block/);
    expect(firstBlock({ hash: other.hash, header: other.header })).toMatch(
      /first transaction is not that of the block/,
    );
    expect(firstBlock({ height: 299 })).toMatch(/does not have the height 299/);
    expect(changed({ network: 'main' })).toMatch(/not one of the main network/);
    expect(changed({ network: 'test' })).toMatch(/not one of the test network/);
  });

  it('with a proof for another index', () => {
    expect(changed({ transactions: replaced(bundle.transactions, 0, { ...mint, index: 2 }) })).toMatch(/Merkle path/);
    expect(changed({ transactions: replaced(bundle.transactions, 0, { ...mint, block: 1 }) })).toMatch(
      /no transaction of the bundle/,
    );
    expect(changed({ transactions: [mint] })).toMatch(/not in the bundle|no transaction of the bundle/);
  });

  it('with an outpoint that holds no token or is shared by two tokens', () => {
    expect(firstToken({ outpoints: [`${txidOf(mint.raw)}_2`] })).toMatch(/exactly one satoshi/);
    expect(firstToken({ outpoints: [`${txidOf(mint.raw)}_9`] })).toMatch(/not in the bundle/);
    expect(firstToken({ outpoints: [] })).toMatch(/no outpoint/);
    expect(changed({ tokens: [...bundle.tokens, ...bundle.tokens.slice(1)] })).toMatch(
      /Two tokens have the same outpoint/,
    );
    const again = { ...(bundle.tokens[0] as ProofBundle['tokens'][0]), outpoints: [`${txidOf(mint.raw)}_0`] };
    expect(changed({ tokens: [...bundle.tokens, again] })).toMatch(/Two tokens have the same inscription/);
  });

  it('with a transfer of another token', () => {
    const stolen = {
      ...(bundle.tokens[1] as ProofBundle['tokens'][0]),
      outpoints: [`${txidOf(mint.raw)}_1`, `${txidOf(move.raw)}_0`],
    };
    expect(changed({ tokens: replaced(bundle.tokens, 1, stolen) })).toMatch(/did not receive the token/);
  });

  it('without a token, or with transactions that belong to no token', () => {
    expect(changed({ tokens: [] })).toMatch(/no token/);
    expect(changed({ tokens: bundle.tokens.slice(1) })).toMatch(/transaction of no token/);
  });

  it('if it exceeds the maximum size, before it is parsed', () => {
    const large = new Uint8Array(MAX_BUNDLE_BYTES + 1);
    expect(refusal(() => readBundle(large))).toMatch(/at most 256 MiB/);
  });

  it('if the page around the data was replaced', () => {
    const page = new TextDecoder().decode(file).replace('Verifying…', 'Verified!');
    expect(refusal(() => readBundle(new TextEncoder().encode(page)))).toMatch(/page around the data/);
  });
});
