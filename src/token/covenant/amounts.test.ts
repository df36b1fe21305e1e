import { describe, expect, it } from 'vitest';
import { concatBytes, p2pkhScript, pushData, type Utxo } from '../../chain/index.ts';
import { type ForgedInput, hashOf, out } from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import {
  AMOUNT,
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

const { alice, issuer, mallory } = keys;

/** Those of version 2, which the library does not build, in the long run. */
const versions = ([1, 2] as const).slice(0, process.env.PLANCHET_LONG ? 2 : 1);
describe.each(versions)('covenant version %i: amounts', (version) => {
  it('refuses amounts that do not add up', () => {
    const amounts = [1, 2, 500, 999, 1_001, 1_002, 2_000, 5_999, 2 ** 31, 2 ** 40, 21e14];
    const halves = [
      [500, 499],
      [500, 501],
      [1, 1_000],
      [1_000, 1],
      [999, 2],
      [333, 333, 333],
      [250, 250, 250, 251],
      [1, 1, 1, 996],
    ];
    const cases: SpendCase[] = [
      ...amounts.map((amount) => ({
        name: `${amount}`,
        claim: tokens(amount),
        outputs: [tokenOut(version, amount), changeOut],
      })),
      ...amounts.map((amount) => ({
        name: `${amount}, claimed as ${AMOUNT}`,
        outputs: [tokenOut(version, amount), changeOut],
      })),
      ...halves.map((parts) => ({
        name: parts.join('+'),
        claim: tokens(...parts),
        outputs: [...parts.map((part, i) => tokenOut(version, part, i)), changeOut],
      })),
      ...[1, 999, 1_001].map((amount) => ({
        name: `redeems ${amount} of ${AMOUNT} and keeps none`,
        claim: { redeemed: amount as Utxo['satoshis'], tokens: [] },
        outputs: [out(redemptionScript, amount), changeOut],
      })),
      {
        name: 'redeems and keeps all',
        claim: { redeemed: AMOUNT as Utxo['satoshis'] },
        outputs: [out(redemptionScript, AMOUNT), tokenOut(version, AMOUNT), changeOut],
      },
      { name: 'no token output', claim: { tokens: [] }, outputs: [changeOut] },
      {
        name: 'nothing but a data output',
        claim: { tokens: [], change: undefined },
        outputs: [out(Uint8Array.of(0, 0x6a), 0)],
      },
    ];
    expect(cases.length).toBeGreaterThan(30);
    expect(run(version, cases)).toEqual({ passed: [], steps: ['conserve', 'result'] });
  });

  it('refuses an invalid amount', () => {
    // positions of the first two tokens' amounts among the pushes
    const last = version === 1 ? 0 : 1;
    const replace =
      (first: Uint8Array, second: Uint8Array): ForgedInput['claims'] =>
      (pushes) => {
        const copy = [...pushes];
        copy[copy.length - 3 - last] = pushData(first);
        copy[copy.length - 5 - last] = pushData(second);
        return copy;
      };
    const pairs: [string, string, string][] = [
      ['minus one and the rest', '81', 'e903'],
      ['the rest and minus one', 'e903', '81'],
      ['minus 1,000 and 2,000', 'e883', 'd007'],
      ['2,000 and minus 1,000', 'd007', 'e883'],
      ['nine bytes', 'ffffffffffffffff00', 'e903ffffffffffff80'],
      ['two to the 64', '000000000000000001', 'e803000000000000ff'],
      ['two to the 63', '000000000000008000', '18fcffffffffff7f80'],
      ['minus two to the 62', '00000000000000c0', 'e803000000000040'],
      ['a long negative', 'e80300000080', 'd007'],
      ['the least there is', 'ffffffffffffffff', 'e803'],
      ['the most there is, and as little', 'ffffffffffffff7f', '17fcffffffffffff'],
    ];
    const cases: SpendCase[] = pairs.flatMap(([name, first, second]) => {
      const claims = replace(Buffer.from(first, 'hex'), Buffer.from(second, 'hex'));
      return [
        {
          name,
          claim: tokens(500, 500),
          claims,
          outputs: [tokenOut(version, 1_001), tokenOut(version, 1, 1), changeOut],
        },
        {
          name: `${name}, one output`,
          claim: tokens(500, 500),
          claims,
          outputs: [tokenOut(version, 1_001), changeOut],
        },
      ];
    });
    expect(cases.length).toBeGreaterThan(20);
    const { passed, steps } = run(version, cases);
    // refused as invalid, before the outputs are even compared
    expect({ passed, steps }).toEqual({ passed: [], steps: ['tokens'] });
    const zeros = ['80', '0080', '0000000080', '00', '0000'].map((zero) => ({
      name: `zero as ${zero}`,
      claim: tokens(500, 500),
      claims: replace(Buffer.from(zero, 'hex'), Buffer.from('e803', 'hex')),
      outputs: [tokenOut(version, 1), tokenOut(version, 1_000, 1), changeOut],
    }));
    expect(run(version, zeros).passed).toEqual([]);
    // negative change: the second push is its amount
    const changes = ['81', 'a08f', 'ffffffffffffffff'].map((amount) => ({
      name: `change of ${amount}`,
      claims: (pushes: Uint8Array[]) => pushes.with(1, pushData(Buffer.from(amount, 'hex'))),
      outputs: [tokenOut(version, AMOUNT), changeOut],
    }));
    expect(run(version, changes)).toEqual({ passed: [], steps: ['change'] });
  });

  it('lets value leave the token only to the redemption hash', () => {
    const redeemed = { redeemed: AMOUNT as Utxo['satoshis'], tokens: [] };
    const scripts: [string, Uint8Array][] = [
      ['another hash', p2pkhScript(hashOf(mallory))],
      ['the owner', p2pkhScript(hashOf(alice))],
      ['the payer', changeScript],
      ['a longer script', concatBytes(redemptionScript, Uint8Array.of(0x61))],
      ['a shorter script', redemptionScript.slice(0, 24)],
      ['a script hash', concatBytes(Uint8Array.of(0xa9, 0x14), hashOf(issuer), Uint8Array.of(0x87))],
      ['anybody', Uint8Array.of(0x51)],
      ['nobody', Uint8Array.of(0, 0x6a)],
      ['no signature', concatBytes(redemptionScript.slice(0, 23), Uint8Array.of(0x88, 0x51))],
    ];
    const cases: SpendCase[] = scripts.flatMap(([name, script]) => [
      { name: `all to ${name}`, claim: redeemed, outputs: [out(script, AMOUNT), changeOut] },
      {
        name: `all to ${name}, as change`,
        claim: { tokens: [], change: change(AMOUNT) },
        outputs: [out(script, AMOUNT)],
      },
      {
        name: `a part to ${name}`,
        claim: { redeemed: 400 as Utxo['satoshis'], ...tokens(600) },
        outputs: [out(script, 400), tokenOut(version, 600), changeOut],
      },
    ]);
    cases.push(
      {
        name: 'behind the tokens',
        claim: { redeemed: 400 as Utxo['satoshis'], ...tokens(600) },
        outputs: [tokenOut(version, 600), out(redemptionScript, 400), changeOut],
      },
      { name: 'twice', claim: redeemed, outputs: [out(redemptionScript, 500), out(redemptionScript, 500), changeOut] },
      {
        name: 'as change',
        claim: { ...tokens(600), change: change(400, hashOf(issuer)) },
        outputs: [tokenOut(version, 600), out(redemptionScript, 400)],
      },
      {
        name: 'as more change',
        claim: { ...tokens(999), change: change(CHANGE + 1) },
        outputs: [tokenOut(version, 999), out(changeScript, CHANGE + 1)],
      },
      { name: 'as a fee', claim: tokens(999), outputs: [tokenOut(version, 999), changeOut] },
    );
    expect(cases.length).toBeGreaterThan(20);
    expect(run(version, cases)).toEqual({ passed: [], steps: ['conserve', 'result'] });
  });
});
