import { describe, expect, it } from 'vitest';
import { concatBytes, p2pkhScript, pushData, serializeTx, txidOf, type Utxo } from '../../chain/index.ts';
import {
  forge,
  hashOf,
  judge,
  judgeInput,
  out,
  outpoint,
  POLICY,
  parentInput,
  parentOf,
  tokenScript,
} from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import {
  changeOut,
  type MergeCase,
  mergeOf,
  oneParent,
  plain,
  refusals,
  sats,
  stepOf,
  token,
} from '../test-support/merge-case.ts';
import { TAIL_OFFSET } from './covenant.ts';
import type { TokenFields, TokenSpend } from './template.ts';

const { alice, bob, mallory, payer } = keys;

describe('covenant version 2: merge', () => {
  it('accepts valid merges, also under relay policy', () => {
    const change = out(p2pkhScript(hashOf(payer)), 900);
    const honest: [string, MergeCase][] = [
      ['two into one', {}],
      ['two into two', { amounts: [1, 999] }],
      ['two into four', { amounts: [1, 2, 3, 994] }],
      ['without payment', { payment: false }],
      ['token behind change', { second: parentOf([change, out(token(), 300)], 1) }],
      ['token before change', { first: parentOf([out(token(), 700), change], 0) }],
      ['token behind a token', { second: parentOf([out(token(), 5), out(token(), 300)], 1) }],
      [
        'parent of three inputs',
        {
          first: parentOf(
            [out(token(), 700)],
            0,
            [1, 2, 3].map(() => parentInput()),
          ),
        },
      ],
      [
        'parent with a long input script',
        { first: parentOf([out(token(), 700)], 0, [parentInput(new Uint8Array(3_000))]) },
      ],
      [
        'parent with an empty input script',
        { first: parentOf([out(token(), 700)], 0, [parentInput(new Uint8Array(0))]) },
      ],
      ...[252, 253, 254, 255, 256, 65_535].map(
        (length) =>
          [
            `parent with a script of ${length} bytes`,
            { first: parentOf([out(token(), 700)], 0, [parentInput(new Uint8Array(length)), parentInput()]) },
          ] as [string, MergeCase],
      ),
      ['both of one parent', oneParent()],
    ];
    for (const [name, item] of honest) expect([name, judge(mergeOf(item), POLICY)]).toEqual([name, { ok: true }]);
  });

  it('can redeem in a merge, like any token', () => {
    expect(judge(mergeOf({ redeemed: 400, amounts: [600] }), POLICY)).toEqual({ ok: true });
    expect(stepOf(mergeOf({ redeemed: 400, amounts: [599] }))).toBe('conserve');
  });

  it('refuses a sum that differs from that of both tokens', () => {
    const sums = [
      [1],
      [300],
      [700],
      [999],
      [1_001],
      [1_400],
      [600],
      [2_000],
      [700, 299],
      [700, 301],
      [300, 701],
      [1, 1_000],
      [999, 2],
    ];
    const cases = sums.flatMap((amounts): [string, MergeCase][] => [
      [`${amounts.join('+')}`, { amounts }],
      [`${amounts.join('+')} without payment`, { amounts, payment: false }],
    ]);
    expect(cases.length).toBeGreaterThan(20);
    expect(refusals(cases)).toEqual({ passed: [], steps: ['conserve'] });
    expect(stepOf(mergeOf({ outputs: [out(tokenScript(bob, 2), 700), changeOut] }))).toBe('result');
  });

  it('refuses a token of a different kind', () => {
    const others: Partial<TokenFields>[] = [
      { redemption: hashOf(mallory) },
      { redemption: new Uint8Array(20) },
      { splittable: false },
      { symbol: 'CAFF' },
      { symbol: 'cafe' },
      { symbol: 'CAFE1' },
      { symbol: 'CAF' },
      { data: Uint8Array.of(1) },
      { data: new Uint8Array(500) },
    ];
    const cases = others.flatMap((fields, i): [string, MergeCase][] => [
      [`second ${i}`, { second: plain(300, fields) }],
      [`first ${i}`, { first: plain(700, fields) }],
      [`second ${i}, at output 1`, { second: parentOf([changeOut, out(token(fields), 300)], 1) }],
    ]);
    expect(cases.length).toBeGreaterThan(20);
    const { passed, steps } = refusals(cases);
    expect(passed).toEqual([]);
    expect(steps).toEqual(['merge']);
    // both of the same other kind, but an unsplittable one
    const whole = { splittable: false };
    const kept = { first: plain(700, whole), second: plain(300, whole) };
    expect(stepOf(mergeOf({ ...kept, outputs: [out(tokenScript(bob, 2, whole), 1_000), changeOut] }))).toBe('merge');
  });

  it('refuses a second input that is not a token', () => {
    const tail = token().subarray(TAIL_OFFSET);
    const scripts: [string, Uint8Array][] = [
      ['money', p2pkhScript(hashOf(alice))],
      ['a token of version 1', tokenScript(alice, 1)],
      ['the tail as data', concatBytes(p2pkhScript(hashOf(alice)), Uint8Array.of(0x6a), pushData(tail))],
      ['a token and more', concatBytes(token(), Uint8Array.of(0))],
      ['a token cut short', token().slice(0, -1)],
      ['a token as data', concatBytes(Uint8Array.of(0x51, 0x6a), pushData(token()))],
      ['a token without owner part', tail],
      ['a token with another first operation', concatBytes(Uint8Array.of(0x61), token().slice(1))],
      ['a token behind another operation', concatBytes(Uint8Array.of(0x61), token())],
      ['a token with a longer owner', concatBytes(token().slice(0, 3), new Uint8Array(21), tail)],
    ];
    const passed: string[] = [];
    for (const [name, script] of scripts) {
      for (const vout of [0, 1]) {
        const outputs = vout === 0 ? [out(script, 300)] : [changeOut, out(script, 300)];
        const verdict = judgeInput(mergeOf({ second: parentOf(outputs, vout) }), 0);
        if (verdict.ok || verdict.step !== 'merge') passed.push(`${name} at ${vout}: ${verdict.ok || verdict.step}`);
      }
    }
    expect(passed).toEqual([]);
  });

  it('refuses false claims about the other input', () => {
    const first = parentOf([out(token(), 700), out(token(), 70_000)], 0);
    const second = parentOf([out(token(), 300), out(token(), 30_000)], 0);
    const outpoints = [
      { ...outpoint(second.utxo), vout: 1 },
      { ...outpoint(second.utxo), vout: 2 },
      { ...outpoint(second.utxo), vout: 0x80000000 },
      { ...outpoint(second.utxo), vout: 0x80000001 },
      outpoint(first.utxo),
      { txid: txidOf(first.tx), vout: 1 },
      { txid: '0'.repeat(64), vout: 0 },
    ];
    const cases: [string, MergeCase][] = outpoints.flatMap((other, i): [string, MergeCase][] => [
      [`outpoint ${i}`, { first, second, merges: [{ other }] }],
      [`outpoint ${i}, the larger sum`, { first, second, merges: [{ other }], amounts: [30_700] }],
    ]);
    cases.push(
      ['both say they are first', { first, second, merges: [{}, { second: false }] }],
      ['both say they are second', { first, second, merges: [{ second: true }] }],
      ['each in the other’s place', { first, second, merges: [{ second: true }, { second: false }] }],
    );
    for (const length of [0, 1, 32, 35, 37, 40, 72, 108]) {
      const claims = (pushes: Uint8Array[]) => {
        const list = concatBytes((pushes.at(-2) as Uint8Array).slice(1), new Uint8Array(80));
        return [...pushes.slice(0, -2), pushData(list.slice(0, length)), pushes.at(-1) as Uint8Array];
      };
      cases.push([`an outpoint of ${length} bytes`, { first, second, claims: [claims] }]);
    }
    expect(cases.length).toBeGreaterThan(20);
    expect(refusals(cases)).toEqual({ passed: [], steps: ['inputs', 'merge'] });
  });

  it('refuses a transaction in which one token merges and the other only moves', () => {
    const steps: string[] = [];
    for (const modes of [
      [true, false],
      [false, true],
      [false, false],
    ] as const) {
      for (const amounts of [[1_000], [700], [300], [700, 300]]) {
        for (const payment of [true, false]) steps.push(stepOf(mergeOf({ modes, amounts, payment })));
        steps.push(stepOf(mergeOf({ modes, amounts, payment: false, redeemed: 300 })));
      }
    }
    expect(steps.length).toBeGreaterThan(20);
    expect([...new Set(steps)].sort()).toEqual(['conserve', 'inputs']);
  });

  it('refuses a third token in place of the payment', () => {
    const third = plain(500);
    for (const amounts of [[1_000], [1_500], [700], [500]]) {
      const { tx, spent } = mergeOf({ amounts, payment: false });
      const [first, second] = spent as [Utxo, Utxo];
      const claim = (index: number): TokenSpend => ({
        tokens: amounts.map((amount) => ({ satoshis: sats(amount), owner: hashOf(bob) })),
        payment: outpoint(third.utxo),
        merge: {
          other: outpoint(index === 0 ? second : first),
          second: index === 1,
          previousTx: serializeTx(third.tx),
        },
      });
      for (const merging of [true, false]) {
        const last = merging ? claim(1) : { tokens: claim(0).tokens };
        const forgery = forge(
          [
            { utxo: first, key: alice, claim: claim(0) },
            { utxo: second, key: alice, claim: claim(1) },
            { utxo: third.utxo, key: alice, claim: last },
          ],
          tx.outputs,
        );
        expect(judgeInput(forgery, 2)).toMatchObject({ ok: false });
      }
    }
  });
});
