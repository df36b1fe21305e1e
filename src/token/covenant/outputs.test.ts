import { describe, expect, it } from 'vitest';
import { concatBytes, p2pkhScript, pushData, type Utxo } from '../../chain/index.ts';
import { hashOf, judge, out, tokenScript } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import {
  AMOUNT,
  attempt,
  CHANGE,
  change,
  changeOut,
  changeScript,
  redemptionScript,
  run,
  type SpendCase,
  tokenOut,
  tokens,
} from '../test-support/spend-case.ts';
import { CODE_OFFSET, covenant } from './covenant.ts';

const { bob, mallory, payer } = keys;

/** Those of version 2, which the library does not build, in the long run. */
const versions = ([1, 2] as const).slice(0, process.env.PLANCHET_LONG ? 2 : 1);
describe.each(versions)('covenant version %i: outputs', (version) => {
  it('accepts every valid spend', () => {
    const honest: SpendCase[] = [
      { name: 'transfer', outputs: [tokenOut(version, AMOUNT), changeOut] },
      {
        name: 'unsplittable transfer',
        splittable: false,
        outputs: [tokenOut(version, AMOUNT, 0, { splittable: false }), changeOut],
      },
      { name: 'no change', outputs: [tokenOut(version, AMOUNT)], claim: { change: undefined } },
      { name: 'no payment', payment: false, outputs: [tokenOut(version, AMOUNT)] },
      ...[2, 3, 4].map((count) => {
        const amounts = [...new Array<number>(count - 1).fill(7), AMOUNT - 7 * (count - 1)];
        return {
          name: `split in ${count}`,
          claim: tokens(...amounts),
          outputs: [...amounts.map((amount, i) => tokenOut(version, amount, i)), changeOut],
        };
      }),
      {
        name: 'redeem',
        claim: { redeemed: AMOUNT as Utxo['satoshis'], tokens: [] },
        outputs: [out(redemptionScript, AMOUNT), changeOut],
      },
      {
        name: 'unsplittable redeem',
        splittable: false,
        claim: { redeemed: AMOUNT as Utxo['satoshis'], tokens: [] },
        outputs: [out(redemptionScript, AMOUNT), changeOut],
      },
      {
        name: 'redeem a part',
        claim: { redeemed: 1 as Utxo['satoshis'], ...tokens(400, 599) },
        outputs: [out(redemptionScript, 1), tokenOut(version, 400), tokenOut(version, 599, 1), changeOut],
      },
    ];
    for (const item of honest) expect(judge(attempt(version, item)), item.name).toEqual({ ok: true });
  });

  it('refuses a token output with a different script', () => {
    const script = tokenScript(bob, version);
    const altered = (name: string, bytes: Uint8Array): SpendCase => ({
      name,
      outputs: [out(bytes, AMOUNT), changeOut],
    });
    const flipped = (at: number) => {
      const copy = script.slice();
      copy[at] = (copy[at] as number) ^ 1;
      return copy;
    };
    const cases: SpendCase[] = [
      ...covenant(version).steps.flatMap(({ name, offset, length }) => [
        altered(`first byte of ${name}`, flipped(CODE_OFFSET + offset)),
        altered(`last byte of ${name}`, flipped(CODE_OFFSET + offset + length - 1)),
      ]),
      ...[0, 1, 2, 23, 24].map((at) => altered(`byte ${at} of the owner part`, flipped(at))),
      altered('another redemption hash', tokenScript(bob, version, { redemption: hashOf(mallory) })),
      altered('another flag', tokenScript(bob, version, { splittable: false })),
      altered('another symbol', tokenScript(bob, version, { symbol: 'CAFF' })),
      altered('a longer symbol', tokenScript(bob, version, { symbol: 'CAFE1' })),
      altered('data added', tokenScript(bob, version, { data: Uint8Array.of(1) })),
      altered('the other version', tokenScript(bob, version === 1 ? 2 : 1)),
      altered('the owner part alone', p2pkhScript(hashOf(bob))),
      altered('cut short', script.slice(0, -1)),
      altered('made longer', concatBytes(script, Uint8Array.of(0))),
      altered('nothing', new Uint8Array(0)),
      altered('another owner than claimed', tokenScript(mallory, version)),
    ];
    expect(cases.length).toBeGreaterThan(20);
    expect(run(version, cases)).toEqual({ passed: [], steps: ['result'] });
  });

  it('refuses key hashes that are not 20 bytes long, which could contain further outputs', () => {
    const inner = concatBytes(hashOf(mallory), new Uint8Array(30));
    const lengths = [0, 1, 18, 19, 21, 22, 33, 45];
    const cases: SpendCase[] = lengths.flatMap((length) => {
      const hash = inner.slice(0, length);
      const script = tokenScript(bob, version);
      const forged = concatBytes(script.subarray(0, 3), hash, script.subarray(23));
      return [
        {
          name: `owner of ${length} bytes`,
          claim: { tokens: [{ satoshis: AMOUNT as Utxo['satoshis'], owner: hash }] },
          outputs: [out(forged, AMOUNT), changeOut],
        },
        {
          name: `change to ${length} bytes`,
          claim: { change: change(CHANGE, hash) },
          outputs: [
            tokenOut(version, AMOUNT),
            out(concatBytes(changeScript.slice(0, 3), hash, changeScript.slice(23)), CHANGE),
          ],
        },
        {
          name: `third owner of ${length} bytes`,
          claim: { tokens: [...tokens(1, 1).tokens, { satoshis: 998 as Utxo['satoshis'], owner: hash }] },
          outputs: [tokenOut(version, 1), tokenOut(version, 1, 1), out(forged, 998), changeOut],
        },
      ];
    });
    expect(cases.length).toBeGreaterThan(20);
    expect(run(version, cases)).toEqual({ passed: [], steps: ['change', 'tokens'] });
  });

  it('moves unsplittable tokens as a unit only', () => {
    const whole = (amount: number, index = 0) => tokenOut(version, amount, index, { splittable: false });
    const parts = [
      [1, 999],
      [999, 1],
      [500, 500],
      [2, 998],
      [400, 600],
      [334, 333, 333],
      [250, 250, 250, 250],
      [1, 1, 998],
      [1, 1, 1, 997],
    ];
    const kept = [1, 2, 10, 100, 500, 600, 900, 998, 999];
    const cases: SpendCase[] = [
      ...parts.map((amounts) => ({
        name: amounts.join('+'),
        splittable: false,
        claim: tokens(...amounts),
        outputs: [...amounts.map(whole), changeOut],
      })),
      ...kept.map((amount) => ({
        name: `redeems ${AMOUNT - amount}, keeps ${amount}`,
        splittable: false,
        claim: { redeemed: (AMOUNT - amount) as Utxo['satoshis'], ...tokens(amount) },
        outputs: [out(redemptionScript, AMOUNT - amount), whole(amount), changeOut],
      })),
      ...[
        [400, 600],
        [1, 1, 998],
      ].map((amounts) => ({
        name: `${amounts.join('+')} without payment`,
        splittable: false,
        payment: false,
        claim: tokens(...amounts),
        outputs: amounts.map(whole),
      })),
    ];
    expect(cases.length).toBeGreaterThanOrEqual(20);
    expect(run(version, cases)).toEqual({ passed: [], steps: ['whole'] });
  });

  it('refuses outputs other than the tokens and one change', () => {
    const token = tokenOut(version, AMOUNT);
    const scripts: [string, Uint8Array][] = [
      ['a token of the kind', tokenScript(mallory, version)],
      ['data', concatBytes(Uint8Array.of(0, 0x6a), pushData(Uint8Array.of(1, 2)))],
      ['anybody', Uint8Array.of(0x51)],
      ['P2PKH and data', concatBytes(changeScript, Uint8Array.of(0x6a))],
      ['cut P2PKH', changeScript.slice(0, 24)],
      ['a script hash', concatBytes(Uint8Array.of(0xa9, 0x14), hashOf(payer), Uint8Array.of(0x87))],
      ['the tail alone', tokenScript(mallory, version).slice(23)],
    ];
    const cases: SpendCase[] = [
      ...scripts.flatMap(([name, script]) => [
        { name: `change to ${name}`, outputs: [token, out(script, CHANGE)] },
        { name: `${name} behind the change`, outputs: [token, changeOut, out(script, 1)] },
        { name: `${name} before the token`, outputs: [out(script, 1), token, changeOut] },
        { name: `${name} without a claim`, claim: { change: undefined }, outputs: [token, out(script, 1)] },
      ]),
      { name: 'two changes', outputs: [token, out(changeScript, 2_000), out(changeScript, 2_000)] },
      { name: 'change first', outputs: [changeOut, token] },
      { name: 'change missing', outputs: [token] },
      { name: 'change not claimed', claim: { change: undefined }, outputs: [token, changeOut] },
      { name: 'change of another amount', outputs: [token, out(changeScript, CHANGE + 1)] },
      { name: 'change to another', outputs: [token, out(p2pkhScript(hashOf(mallory)), CHANGE)] },
      {
        name: 'change without payment',
        payment: false,
        claim: { change: change(1) },
        outputs: [token, out(changeScript, 1)],
      },
      { name: 'no outputs', outputs: [] },
      {
        name: 'five tokens',
        claim: tokens(1, 1, 1, 997),
        outputs: [1, 1, 1, 996, 1].map((amount, i) => tokenOut(version, amount, i % 4)),
      },
    ];
    expect(cases.length).toBeGreaterThan(20);
    expect(run(version, cases)).toEqual({ passed: [], steps: ['change', 'result'] });
  });
});
