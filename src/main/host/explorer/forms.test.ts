import { describe, expect, it } from 'vitest';
import { fromHex, parseBeef, satoshis, serializeTx, type Tx, toHex, txidOf } from '../../../chain/index.ts';
import type { ChainData, Inclusion } from '../../ports/chain-data.ts';
import { ancestorsOf, formsOf, type TransactionSources } from './forms.ts';

const unknown = { basis: 'unknown' } as const;
const header = fromHex('00'.repeat(80));
const txOf = (inputs: readonly string[], outputs: readonly number[]): Tx => ({
  version: 1,
  inputs: inputs.map((txid) => ({ txid, vout: 0, script: new Uint8Array(), sequence: 0xffffffff })),
  outputs: outputs.map((value) => ({ satoshis: satoshis(value), script: fromHex('51') })),
  lockTime: 0,
});
/** Each spends the one before; the first is mined. */
const mined = txOf(['aa'.repeat(32)], [4_000]);
const parent = txOf([txidOf(mined)], [3_000]);
const child = txOf([txidOf(parent)], [2_000]);
const all = [mined, parent, child];
const [minedId, parentId, childId] = all.map(txidOf) as [string, string, string];
const proof: Inclusion = {
  hash: 'bb'.repeat(32),
  height: 7,
  header,
  path: { txid: minedId, index: 0, siblings: [] },
};

function sources(known: readonly Tx[], own: readonly Tx[] = []): TransactionSources {
  const raws = new Map(known.map((tx) => [txidOf(tx), serializeTx(tx)]));
  const kept = new Map(own.map((tx) => [txidOf(tx), serializeTx(tx)]));
  const chainData: Partial<ChainData> = {
    transaction: async (txid) => {
      const value = raws.get(txid);
      return value === undefined ? unknown : { basis: 'proven', value };
    },
    transactions: async (txids) => new Map([...raws].filter(([txid]) => txids.includes(txid))),
    tip: async () => ({ basis: 'told', value: { hash: 'bb'.repeat(32), height: 8 } }),
    inclusion: async (txid) => (txid === minedId ? { basis: 'proven', value: proof } : unknown),
    isInMempool: async (txid) => ({ basis: 'told', value: txid !== minedId && raws.has(txid) }),
  };
  const only = (txids: readonly string[]) => new Map([...kept].filter(([txid]) => txids.includes(txid)));
  return {
    chainData: chainData as ChainData,
    tracked: { rawOf: async (txids) => only(txids), proofOf: async () => undefined },
  };
}

describe('the forms of a transaction', () => {
  it('of one that waits are the extended format, and a BEEF down to what is mined', async () => {
    const { ef, beef, bump, header: none } = await formsOf(sources(all), { txid: childId, network: 'sandbox' });
    expect(ef).toContain('0000000000ef');
    expect(ef).toContain(`${'b80b'.padEnd(16, '0')}0151`);
    const { transactions } = parseBeef(fromHex(beef as string));
    expect(transactions.map(({ txid, bump: path }) => [txid, path !== null])).toEqual([
      [minedId, true],
      [parentId, false],
      [childId, false],
    ]);
    expect([bump, none]).toEqual([null, null]);
  });

  it('of a mined one have its path and its header, and none names what it spends where nobody knows that', async () => {
    const forms = await formsOf(sources(all), { txid: minedId, network: 'sandbox' });
    expect(forms).toMatchObject({ ef: null, header: toHex(header) });
    expect(JSON.parse(forms.json)).toMatchObject({ txid: minedId, confirmations: 2, blockheight: 7 });
    expect(forms.beef).toContain(forms.bump as string);
    expect(parseBeef(fromHex(forms.beef as string)).transactions).toHaveLength(1);
  });

  it('of a refused one are read from what is kept here', async () => {
    expect((await formsOf(sources([mined], [parent, child]), { txid: childId, network: 'sandbox' })).ef).toContain(
      '0000000000ef',
    );
    expect((await formsOf(sources([mined], [child]), { txid: childId, network: 'sandbox' })).ef).toBeNull();
    await expect(formsOf(sources([mined]), { txid: childId, network: 'sandbox' })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('are not made of one that would take too long', async () => {
    const data = { satoshis: satoshis(0), script: new Uint8Array(1_000_000) };
    const large = { ...txOf([minedId], []), outputs: [data] };
    await expect(formsOf(sources([large]), { txid: txidOf(large), network: 'sandbox' })).rejects.toMatchObject({
      code: 'file-too-large',
    });
  });

  it('of many outputs leave time for other work while they are made', async () => {
    const many = txOf([minedId], Array.from<number>({ length: 60_000 }).fill(1));
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const { json } = await formsOf(sources([mined, many]), { txid: txidOf(many), network: 'sandbox' });
    clearInterval(counting);
    expect(json.length).toBeGreaterThan(5_000_000);
    expect(turns).toBeGreaterThan(10);
  });
});

describe('the ancestors of a transaction', () => {
  it('are those that wait as well, the nearest first', async () => {
    const grandchild = txOf([childId, minedId], [1_000]);
    const of = sources([...all, grandchild]);
    expect(await ancestorsOf(of, txidOf(grandchild))).toEqual({ txids: [childId, parentId], isComplete: true });
    expect(await ancestorsOf(of, parentId)).toEqual({ txids: [], isComplete: true });
  });

  it('are no longer looked for where there are too many', async () => {
    const wide = txOf(
      Array.from({ length: 300 }, (_, n) => n.toString(16).padStart(64, 'c')),
      [1],
    );
    expect(await ancestorsOf(sources([wide]), txidOf(wide))).toEqual({ txids: [], isComplete: false });
  });
});
