import { describe, expect, it, vi } from 'vitest';
import { fromHex, headerHash, parseHeader, satoshis, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { MAX_BLOCK_ROWS, PlanchetError } from '../../../contract/index.ts';
import type { BlockHead, ChainData } from '../../ports/chain-data.ts';
import { createExplorer } from './explorer.ts';

// Block 170 of the main chain.
const header = fromHex(
  '0100000055bd840a78798ad0da853f68974f3d183e2bd1db6a842c1feecf222a00000000ff104ccb05421ab93e63f8c3ce5c2c2e9dbb37de2764b3a3175c8166562cac7d51b96a49ffff001d283e9e70',
);
const { previousHash, merkleRoot, time } = parseHeader(header);
const TIP = { hash: 'f'.repeat(64), height: 9 };
const idOf = (n: number): string => n.toString(16).padStart(64, '0');
const unknown = { basis: 'unknown' } as const;
const told = <T>(value: T) => ({ basis: 'told', value }) as const;

function headOf(hash: string, parts: Partial<BlockHead> = {}): BlockHead {
  return { hash, height: 7, header, previousHash, merkleRoot, time, transactions: undefined, size: 9, ...parts };
}

/** Chain data that answers these questions alone. */
function explorerOver(answers: Partial<ChainData>) {
  return createExplorer({
    name: 'node',
    tip: async () => told(TIP),
    hashAt: async () => unknown,
    ...answers,
  } as ChainData);
}

/** Blocks with so many transactions, all of them in the main chain but `stale`. */
function blocksOf(transactions: number | undefined) {
  const listing = vi.fn(async (_: BlockHead) => {
    if (transactions === undefined) return unknown;
    return told({
      txids: Array.from({ length: transactions }, (_, n) => idOf(n)),
      check: () => {},
      path: () => {
        throw new Error('not asked');
      },
    });
  });
  const explorer = explorerOver({
    header: async (hash) =>
      hash === 'none' || hash === 'stale' ? unknown : told(headOf(hash, { transactions: 300_000 })),
    headerAnywhere: async (hash) => (hash === 'none' ? unknown : told(headOf(hash))),
    hashAt: async (height) => told(idOf(height)),
    listing,
  });
  const read = (hash: string, from = 0, search = '') => explorer.block({ hash, search, from });
  return { listing, read };
}

describe('a block for the page', () => {
  it('is told in parts, in its order, and listed once', async () => {
    const { listing, read } = blocksOf(1_000);
    const first = await read('a');
    expect(first).toEqual({
      hash: 'a',
      height: 7,
      time,
      size: 9,
      confirmations: 3,
      version: 1,
      merkleRoot,
      nonce: 1_889_418_792,
      difficulty: 1,
      previous: previousHash,
      next: idOf(8),
      transactions: 1_000,
      found: 1_000,
      rows: Array.from({ length: MAX_BLOCK_ROWS }, (_, n) => ({ position: n, txid: idOf(n) })),
    });
    const { rows } = await read('a', 900);
    expect(rows).toEqual(Array.from({ length: 100 }, (_, n) => ({ position: 900 + n, txid: idOf(900 + n) })));
    expect(listing).toHaveBeenCalledTimes(1);
  });

  it('is searched by a part of an id, whatever its case', async () => {
    const { read } = blocksOf(1_000);
    const { found, rows } = await read('a', 1, '3E');
    const wanted = Array.from({ length: 1_000 }, (_, n) => n).filter((n) => idOf(n).includes('3e'));
    expect(found).toBe(wanted.length);
    expect(rows.map(({ position }) => position)).toEqual(wanted.slice(1));
  });

  it('of a branch that lost is shown without confirmations, and one that nobody knows is not found', async () => {
    const { read } = blocksOf(1);
    expect(await read('stale')).toMatchObject({ confirmations: null, next: null, transactions: 1 });
    await expect(read('none')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('with too many transactions is shown without them', async () => {
    const { read } = blocksOf(undefined);
    expect(await read('a')).toMatchObject({ transactions: 300_000, found: null, rows: [] });
  });

  it('that the node does not keep any more is listed by public services', async () => {
    const ids = [idOf(1), idOf(2)];
    const listing = vi.fn<ChainData['listing']>(async () => told({ txids: ids, check: () => {}, path: () => path }));
    const path = { txid: idOf(1), index: 0, siblings: [], root: merkleRoot };
    let transactions: number | undefined;
    const explorer = explorerOver({
      header: async (hash) => told(headOf(hash, { transactions })),
      listing: async () => unknown,
      beside: { listing } as Partial<ChainData> as ChainData,
    });
    const read = (hash: string) => explorer.block({ hash, search: '', from: 0 });
    expect(await read('a')).toMatchObject({ transactions: 2, rows: [{ txid: idOf(1) }, { txid: idOf(2) }] });
    listing.mockRejectedValueOnce(new PlanchetError('chain.sources-unavailable', { reasons: '' }));
    expect(await read('b')).toMatchObject({ found: null, rows: [] });
    transactions = 300_000;
    expect(await read('c')).toMatchObject({ transactions, found: null });
    expect(listing).toHaveBeenCalledTimes(2);
  });

  it('is listed again when others with many transactions were read since', async () => {
    const { listing, read } = blocksOf(30_000);
    for (const hash of ['a', 'a', 'b', 'b', 'a']) await read(hash);
    expect(listing.mock.calls.map(([{ hash }]) => hash)).toEqual(['a', 'b', 'a']);
  });
});

describe('a block in the list', () => {
  it('has its fees, none with a coinbase alone, and null where nobody tells them', async () => {
    let transactions = 2;
    const totals = vi.fn<ChainData['totals']>(async () => told({ fees: 350, value: 9_000, payingBytes: 700 }));
    const explorer = explorerOver({
      headerAt: async (height) => (height > 9 ? unknown : told(headOf('a', { height, transactions }))),
      totals,
    });
    expect(await explorer.blockAt({ height: 7 })).toEqual({
      hash: 'a',
      height: 7,
      time,
      size: 9,
      merkleRoot,
      transactions: 2,
      fees: 350,
      value: 9_000,
      payingBytes: 700,
    });
    totals.mockResolvedValueOnce(unknown);
    expect(await explorer.blockAt({ height: 7 })).toMatchObject({ fees: null, value: null, payingBytes: null });
    transactions = 1;
    expect(await explorer.blockAt({ height: 7 })).toMatchObject({ fees: 0, value: 0, payingBytes: 0 });
    expect(totals).toHaveBeenCalledTimes(2);
    await expect(explorer.blockAt({ height: 10 })).rejects.toMatchObject({ code: 'not-found' });
  });
});

it('a proof for the page is the path with its header, and a mempool that is too large is an error', async () => {
  const path = { txid: idOf(1), index: 1, siblings: [fromHex(idOf(2)).reverse(), null], root: merkleRoot };
  const explorer = explorerOver({
    inclusion: async (_, hash) => (hash === 'b' ? unknown : told({ hash: 'a', height: 7, header, path })),
    mempool: async () => unknown,
    waiting: async () => unknown,
  });
  const proof = { index: 1, nodes: [idOf(2), '*'], header: toHex(header) };
  expect(await explorer.proof({ txid: idOf(1), blockHash: 'a' })).toEqual(proof);
  await expect(explorer.proof({ txid: idOf(1), blockHash: 'b' })).rejects.toMatchObject({ code: 'not-found' });
  await expect(explorer.mempool()).rejects.toMatchObject({ id: 'upstream.answer-too-large' });
});

it('the mempool is listed with what each transaction pays, or by ids alone where it is too large', async () => {
  const waiting = { txid: idOf(1), size: 200, fee: 100, time };
  const answers = { waiting: async () => told([waiting]), mempool: async () => told([idOf(1)]) };
  expect(await explorerOver(answers).mempool()).toEqual([waiting]);
  const ids = await explorerOver({ ...answers, waiting: async () => unknown }).mempool();
  expect(ids).toEqual([{ txid: idOf(1), size: null, fee: null, time: null }]);
});

describe('what an address received', () => {
  const address = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
  const lock = '76a914243f1394f44554f4ce3fd68649c19adc483ce92488ac';
  const envelope = '0063036f726451106170706c69636174696f6e2f6a736f6e004c025b5d68';
  const txOf = (scripts: readonly string[]) => ({
    version: 1,
    inputs: [{ txid: idOf(0), vout: 0xffffffff, script: fromHex('5151'), sequence: 0 }],
    outputs: scripts.map((script, n) => ({ satoshis: satoshis(100 + n), script: fromHex(script) })),
    lockTime: 0,
  });
  const tx = txOf([lock, '6a', envelope + lock, lock.replace('243f', '243e'), `21${'02'.repeat(33)}ac`]);
  const txid = txidOf(tx);

  function explorer(size?: number) {
    const hash = headerHash(header);
    const key = lock.slice(6, 46);
    return explorerOver({
      headerAt: async (height) => (height > 9 ? unknown : told(headOf(hash, { height, size }))),
      search: async ({ height }, { keys }) => {
        const outputs = [0, 2].map((vout) => ({ vout, satoshis: satoshis(100 + vout), script: undefined }));
        const found = {
          txid,
          index: 1,
          inputs: [],
          inputCount: 1,
          outputs,
          paid: 510,
          raw: undefined,
          path: undefined,
        };
        return told({ header, bytes: 1, transactions: height === 7 && keys?.has(key) ? [found] : [] });
      },
      mempool: async () => told([txid, idOf(5)]),
      transactions: async (ids) => new Map(ids.includes(txid) ? [[txid, serializeTx(tx)]] : []),
      output: async ({ vout }) =>
        vout === 0
          ? told({ state: 'unspent', output: undefined, confirmations: 1 })
          : told({ state: 'spent', by: null }),
    });
  }
  const receipts = [
    { outpoint: `${txid}_0`, satoshis: 100, height: 7, time, unspent: true },
    { outpoint: `${txid}_2`, satoshis: 102, height: 7, time, unspent: false },
  ];

  it('are outputs of its key and its tokens in the blocks asked for, with whether they are unspent', async () => {
    expect(await explorer().receipts({ address, heights: [7] })).toEqual({ receipts, skipped: 0 });
  });

  it('are those of the mempool where no block is asked for', async () => {
    const waiting = receipts.map((one) => ({ ...one, height: null, time: null }));
    expect(await explorer().receipts({ address })).toEqual({ receipts: waiting, skipped: 0 });
  });

  it('are not looked for in a block that is too large, and fail for one that is gone', async () => {
    expect(await explorer(8_000_001).receipts({ address, heights: [7, 6] })).toEqual({
      receipts: [],
      skipped: 2,
    });
    expect((await explorer(8_000_000).receipts({ address, heights: [7] })).receipts).toHaveLength(2);
    await expect(explorer().receipts({ address, heights: [10] })).rejects.toMatchObject({ code: 'not-found' });
    await expect(explorer().receipts({ address: 'nobody' })).rejects.toMatchObject({ id: 'token.address-invalid' });
  });
});
