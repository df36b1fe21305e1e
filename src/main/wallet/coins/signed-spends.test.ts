import { describe, expect, it } from 'vitest';
import { asFundingUtxo, formatOutpoint, p2pkhScript, satoshis } from '../../../chain/index.ts';
import type { Candidate } from './coin-selection.ts';
import { coinsThatExclude, fateOf, heldBySigned, notExcludedBy, openOf, type SpendView } from './signed-spends.ts';
import type { Coin, SignedSpend } from './storage/coin-edit.ts';

const lockingScript = p2pkhScript(new Uint8Array(20).fill(7));
const id = (name: string): string => name.charCodeAt(0).toString(16).padStart(2, '0').repeat(32);
/** The first output of a transaction. */
const of = (name: string): string => `${id(name)}_0`;
const [A, B, C] = [of('a'), of('b'), of('c')];
const [T, U, V, RIVAL, NEXT] = ['T', 'U', 'V', 'R', 'N'].map(id) as [string, string, string, string, string];

/** An unspent coin, changed in places. */
function coin(outpoint: string, changed: Partial<Coin> = {}): [string, Coin] {
  const [txid, vout] = outpoint.split('_') as [string, string];
  return [
    outpoint,
    {
      ...{ txid, vout: Number(vout), satoshis: satoshis(1_000), lockingScript, scriptHash: null, kind: 'funding' },
      ...{ keyIndex: 0, coinbase: false, height: 1, spentBy: null, spentHeight: null },
      ...changed,
    },
  ];
}

function view(coins: [string, Coin][], signed: Record<string, SignedSpend>): SpendView {
  return { coins: new Map(coins), signed: new Map(Object.entries(signed)) };
}
const spend = (owner: string, ...inputs: string[]): SignedSpend => ({ owner, inputs });

describe('what became of a signed transaction', () => {
  const fates = (coins: [string, Coin][], ...inputs: string[]) =>
    fateOf(view(coins, { [T]: spend('send:1', ...inputs) }), T);

  it('is unknown where it was not noted', () => {
    expect(fateOf(view([coin(A)], {}), T)).toBe('unknown');
  });

  it('is open while no block has its coins, also where the mempool has a rival', () => {
    expect(fates([coin(A)], A)).toBe('open');
    expect(fates([coin(A, { spentBy: RIVAL })], A)).toBe('open');
  });

  it('is waiting where the mempool has it', () => {
    expect(fates([coin(A, { spentBy: T }), coin(B)], A, B)).toBe('waiting');
  });

  it('is decided by a block that spends any of its coins, whatever waits', () => {
    expect(fates([coin(A, { spentBy: T, spentHeight: 9 })], A)).toEqual({ spentBy: T });
    const rival = coin(B, { spentBy: RIVAL, spentHeight: 9 });
    expect(fates([coin(A), rival], A, B)).toEqual({ spentBy: RIVAL });
    expect(fates([coin(A, { spentBy: T }), rival], A, B)).toEqual({ spentBy: RIVAL });
  });

  it('is that of the transaction that made its coin, where that coin is gone', () => {
    const gone = (parent: [string, Coin][], more: Record<string, SignedSpend>) =>
      fateOf(view(parent, { [T]: spend('send:1', `${U}_1`, A), ...more }), T);
    expect(gone([coin(A)], {})).toBe('unknown');
    expect(gone([coin(A), coin(B)], { [U]: spend('send:0', B) })).toBe('open');
    expect(gone([coin(A), coin(B, { spentBy: U })], { [U]: spend('send:0', B) })).toBe('open');
    const lost = coin(B, { spentBy: RIVAL, spentHeight: 9 });
    expect(gone([coin(A), lost], { [U]: spend('send:0', B) })).toEqual({ spentBy: RIVAL });
  });
});

describe('coins of open transactions', () => {
  it('are held by all that spend them, and by none that is decided or waits', () => {
    const coins = [coin(A), coin(B), coin(C, { spentBy: V })];
    const held = heldBySigned(view(coins, { [T]: spend('x', A, B), [U]: spend('y', B), [V]: spend('z', C) }));
    expect(Object.fromEntries(held)).toEqual({ [A]: [T], [B]: [T, U] });
  });

  it('lead from the transaction of an owner to all that share one of them', () => {
    const all = { [T]: spend('x', A), [U]: spend('y', A, B), [V]: spend('z', B), [RIVAL]: spend('w', C) };
    expect([...openOf(view([coin(A), coin(B), coin(C)], all), ['x'])].sort()).toEqual([T, U, V].sort());
    // One that waits joins nothing.
    const waits = [coin(A), coin(B, { spentBy: U }), coin(C)];
    expect([...openOf(view(waits, all), ['x'])]).toEqual([T]);
    expect([...openOf(view(waits, all), ['nobody'])]).toEqual([]);
  });
});

describe('what cannot be mined beside a transaction', () => {
  const beside = (coins: [string, Coin][], signed: Record<string, SignedSpend>, ...inputs: string[]) =>
    notExcludedBy(view(coins, signed), Object.keys(signed), inputs);

  it('spends one of its coins', () => {
    const signed = { [T]: spend('x', A, B), [U]: spend('y', C) };
    expect(beside([coin(A), coin(B), coin(C)], signed, B)).toEqual([U]);
    expect(beside([coin(A), coin(B), coin(C)], signed)).toEqual([T, U]);
  });

  it('builds on a rival of it that waits, however far', () => {
    const signed = { [T]: spend('x', A) };
    const change = `${RIVAL}_1`;
    const coins = [coin(A, { spentBy: RIVAL }), coin(change, { height: null }), coin(C)];
    expect(beside(coins, signed, change)).toEqual([]);
    expect(beside(coins, signed, C)).toEqual([T]);
    const further = [coin(A, { spentBy: RIVAL }), coin(change, { spentBy: NEXT }), coin(`${NEXT}_0`), coin(C)];
    expect(beside(further, signed, `${NEXT}_0`)).toEqual([]);
    // What builds on the transaction itself needs it.
    const own = [coin(A, { spentBy: T }), coin(`${T}_0`, { height: null })];
    expect(beside(own, signed, `${T}_0`)).toEqual([T]);
  });

  it('spends what the transaction needs that made its coin, where that coin is gone', () => {
    const signed = { [T]: spend('x', `${U}_1`), [U]: spend('y', B) };
    expect(beside([coin(B)], signed, B)).toEqual([]);
  });
});

/** Ends a search that reads far more often than there are entries. */
class FewReads<T> extends Map<string, T> {
  #left = 10_000;
  #read(): void {
    if (this.#left-- === 0) throw new Error('The search reads the same again and again.');
  }
  override get(key: string): T | undefined {
    this.#read();
    return super.get(key);
  }
  override [Symbol.iterator](): MapIterator<[string, T]> {
    this.#read();
    return super[Symbol.iterator]();
  }
}

describe('a long chain, each of which spends two coins of the one before', () => {
  const chain = Array.from({ length: 40 }, (_, at) => at.toString(16).padStart(64, '0'));
  const made = (txid: string): [string, string] => [`${txid}_0`, `${txid}_1`];

  it('is followed once where its coins wait', () => {
    const coins = chain.flatMap((txid, at) =>
      made(txid).map((outpoint) => coin(outpoint, { height: null, spentBy: chain[at + 1] ?? null })),
    );
    const first = coin(A, { spentBy: chain[0] as string });
    const seen = { coins: new FewReads([first, ...coins]), signed: new FewReads([[T, spend('x', A)]]) };
    expect(notExcludedBy(seen, [T], [made(chain.at(-1) as string)[1]])).toEqual([]);
  });

  it('is followed once where its coins are gone', () => {
    const signed = chain.map((txid, at): [string, SignedSpend] => [
      txid,
      spend('x', ...(at === 0 ? [A] : made(chain[at - 1] as string))),
    ]);
    const last = chain.at(-1) as string;
    const gone = (): SpendView => ({ coins: new FewReads([coin(A)]), signed: new FewReads(signed) });
    expect(fateOf(gone(), last)).toBe('open');
    expect(heldBySigned(gone()).get(A)).toEqual([chain[0]]);
    expect(notExcludedBy(gone(), [last], [A])).toEqual([]);
  });
});

describe('the coins that make transactions impossible', () => {
  const candidate = (outpoint: string, value: number): Candidate => {
    const { txid, vout } = coin(outpoint)[1];
    const funding = asFundingUtxo({ txid, vout, satoshis: satoshis(value), lockingScript });
    if (funding === undefined) throw new Error('no money');
    return { coin: funding, confirmed: true };
  };
  const chosen = (signed: Record<string, SignedSpend>, candidates: Candidate[]) =>
    coinsThatExclude(view([coin(A), coin(B), coin(C)], signed), Object.keys(signed), candidates).map(formatOutpoint);

  it('are as few as can be, of those the most valuable', () => {
    const shared = { [T]: spend('x', A, B), [U]: spend('y', B, C) };
    expect(chosen(shared, [candidate(A, 9_000), candidate(B, 10), candidate(C, 9_000)])).toEqual([B]);
    expect(chosen({ [T]: spend('x', A, B) }, [candidate(A, 10), candidate(B, 20)])).toEqual([B]);
    for (const equal of [[A, B] as const, [B, A] as const])
      expect(
        chosen(
          { [T]: spend('x', A, B) },
          equal.map((one) => candidate(one, 20)),
        ),
      ).toEqual([A]);
    const apart = { [T]: spend('x', A), [U]: spend('y', C) };
    expect(chosen(apart, [candidate(A, 10), candidate(B, 9_000), candidate(C, 20)])).toEqual([C, A]);
    expect(chosen({}, [candidate(A, 10)])).toEqual([]);
  });

  it('are told to be missing where none is free', () => {
    const refusal = expect.objectContaining({ id: 'wallet.replacement-waits', values: { txid: U } });
    const apart = { [T]: spend('x', A), [U]: spend('y', C) };
    expect(() => chosen(apart, [candidate(A, 10), candidate(B, 10)])).toThrow(refusal);
    expect(() => chosen({ [U]: spend('y', C) }, [])).toThrow(refusal);
  });
});
