import { describe, expect, it } from 'vitest';
import { concatBytes, p2pkhScript, pushData, type TxOutput, type Utxo } from '../chain/index.ts';
import { CODE_OFFSET, covenant } from './covenant.ts';
import type { TokenFields, TokenSpend } from './template.ts';
import {
  coin,
  type ForgedInput,
  type Forgery,
  forge,
  hashOf,
  judge,
  out,
  outpoint,
  output,
  tokenScript,
} from './test-support/forge.ts';
import { keys } from './test-support/keys.ts';

const AMOUNT = 1_000;
const PAYMENT = 5_000;
const CHANGE = 4_000;
const { alice, bob, carol, issuer, mallory, payer } = keys;
const changeScript = p2pkhScript(hashOf(payer));
const redemptionScript = p2pkhScript(hashOf(issuer));

interface Case {
  readonly name: string;
  readonly outputs: readonly TxOutput[];
  readonly claim?: Partial<TokenSpend>;
  readonly claims?: ForgedInput['claims'];
  readonly payment?: boolean;
  readonly splittable?: boolean;
}

/** Spends a token of 1,000 satoshis of Alice's beside a payment; claims a transfer to Bob where nothing else is claimed. */
function attempt(version: 1 | 2, { outputs, claim, claims, payment = true, splittable = true }: Case): Forgery {
  const token = output(tokenScript(alice, version, { splittable }), AMOUNT);
  const paying = coin(payer, PAYMENT);
  const honest: TokenSpend = {
    tokens: [{ satoshis: AMOUNT as Utxo['satoshis'], owner: hashOf(bob) }],
    ...(payment ? { payment: outpoint(paying), change: change(CHANGE) } : {}),
  };
  const inputs: ForgedInput[] = [
    { utxo: token, key: alice, version, claim: { ...honest, ...claim }, ...(claims ? { claims } : {}) },
  ];
  if (payment) inputs.push({ utxo: paying, key: payer });
  return forge(inputs, outputs);
}

function change(satoshis: number, keyHash = hashOf(payer)): NonNullable<TokenSpend['change']> {
  return { satoshis: satoshis as Utxo['satoshis'], keyHash };
}

function tokens(...amounts: number[]): Pick<TokenSpend, 'tokens'> {
  const owners = [bob, carol, alice, bob];
  return {
    tokens: amounts.map((amount, i) => ({
      satoshis: amount as Utxo['satoshis'],
      owner: hashOf(owners[i] as typeof bob),
    })),
  };
}

function tokenOut(version: 1 | 2, amount: number, index = 0, fields: Partial<TokenFields> = {}): TxOutput {
  return out(tokenScript([bob, carol, alice, bob][index] as typeof bob, version, fields), amount);
}

/** The forgeries of a list that some script lets pass, and where the others were stopped. */
function run(version: 1 | 2, cases: readonly Case[]): { passed: string[]; steps: string[] } {
  const passed: string[] = [];
  const steps = new Set<string>();
  for (const item of cases) {
    const verdict = judge(attempt(version, item));
    if (verdict.ok) passed.push(item.name);
    else {
      steps.add(verdict.step);
      // a forgery stopped at a signature would prove nothing about the rule
      expect(['P2PKH', 'owner', 'authenticate'], item.name).not.toContain(verdict.step);
    }
  }
  return { passed, steps: [...steps].sort() };
}

const changeOut = out(changeScript, CHANGE);

describe.each([1, 2] as const)('covenant version %i: outputs', (version) => {
  it('lets every honest spend pass', () => {
    const honest: Case[] = [
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

  it('refuses a token output with another script than its own', () => {
    const script = tokenScript(bob, version);
    const altered = (name: string, bytes: Uint8Array): Case => ({ name, outputs: [out(bytes, AMOUNT), changeOut] });
    const flipped = (at: number) => {
      const copy = script.slice();
      copy[at] = (copy[at] as number) ^ 1;
      return copy;
    };
    const cases: Case[] = [
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

  it('refuses key hashes of another length than 20 bytes, which could hold further outputs', () => {
    const inner = concatBytes(hashOf(mallory), new Uint8Array(30));
    const lengths = [0, 1, 18, 19, 21, 22, 33, 45];
    const cases: Case[] = lengths.flatMap((length) => {
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
    const cases: Case[] = [
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

  it('refuses amounts that are no amounts', () => {
    // where the amounts of the first two tokens stand among the pushes
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
    const cases: Case[] = pairs.flatMap(([name, first, second]) => {
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
    // refused for what they are, before the outputs are even compared
    expect({ passed, steps }).toEqual({ passed: [], steps: ['tokens'] });
    const zeros = ['80', '0080', '0000000080', '00', '0000'].map((zero) => ({
      name: `zero as ${zero}`,
      claim: tokens(500, 500),
      claims: replace(Buffer.from(zero, 'hex'), Buffer.from('e803', 'hex')),
      outputs: [tokenOut(version, 1), tokenOut(version, 1_000, 1), changeOut],
    }));
    expect(run(version, zeros).passed).toEqual([]);
    // change of less than nothing: the second push is its amount
    const changes = ['81', 'a08f', 'ffffffffffffffff'].map((amount) => ({
      name: `change of ${amount}`,
      claims: (pushes: Uint8Array[]) => pushes.with(1, pushData(Buffer.from(amount, 'hex'))),
      outputs: [tokenOut(version, AMOUNT), changeOut],
    }));
    expect(run(version, changes)).toEqual({ passed: [], steps: ['change'] });
  });

  it('lets value leave for the redemption hash alone', () => {
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
    const cases: Case[] = scripts.flatMap(([name, script]) => [
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

  it('moves unsplittable tokens whole', () => {
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
    const cases: Case[] = [
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

  it('refuses outputs beside the tokens and one change', () => {
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
    const cases: Case[] = [
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
