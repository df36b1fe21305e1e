import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  displayToHash,
  p2pkhScript,
  parseScript,
  pushData,
  sighashPreimage,
  type Tx,
  type Utxo,
} from '../../chain/index.ts';
import { publicKeyOf } from '../parameters/keys.ts';
import {
  coin,
  type ForgedInput,
  type Forgery,
  forge,
  hashOf,
  judge,
  judgeInput,
  out,
  outpoint,
  output,
  parentOf,
  tokenScript,
} from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import type { TokenSpend } from './template.ts';

const { alice, bob, mallory, payer } = keys;
const change = { satoshis: 4_000 as Utxo['satoshis'], keyHash: hashOf(payer) };
const changeOut = out(p2pkhScript(hashOf(payer)), 4_000);

function to(amount: number, owner = bob): TokenSpend['tokens'] {
  return [{ satoshis: amount as Utxo['satoshis'], owner: hashOf(owner) }];
}

/** A valid transfer of 1,000 satoshis, parts of which can be replaced. */
function transfer(version: 1 | 2, token: Partial<ForgedInput> = {}, claim: Partial<TokenSpend> = {}) {
  const utxo = token.utxo ?? output(tokenScript(alice, version), 1_000);
  const paying = coin(payer, 5_000);
  const honest: TokenSpend = { tokens: to(1_000), payment: outpoint(paying), change, ...claim };
  return {
    paying,
    inputs: [
      { utxo, key: alice, version, claim: honest, ...token },
      { utxo: paying, key: payer },
    ] satisfies ForgedInput[],
    outputs: [out(tokenScript(bob, version), 1_000), changeOut],
  };
}

function stepOf(forgery: Forgery): string {
  const verdict = judge(forgery);
  return verdict.ok ? 'passed' : verdict.step;
}

/** Those of version 2, which the library does not build, in the long run. */
const versions = ([1, 2] as const).slice(0, process.env.PLANCHET_LONG ? 2 : 1);
describe.each(versions)('covenant version %i: inputs', (version) => {
  const code = (owner = alice) => tokenScript(owner, version);

  it('refuses a second token input, whatever both claim', () => {
    const steps: string[] = [];
    for (const [first, second] of [
      [1_000, 1_000],
      [1_000, 1],
      [1, 1_000],
      [600, 400],
    ] as const) {
      const a = output(code(), first);
      const b = output(code(), second);
      const pay = coin(payer, 5_000);
      const outputsOf = (amounts: number[]) => [...amounts.map((amount) => out(code(bob), amount)), changeOut];
      // the classic attack: both claim the same output, and the other token's satoshis become a fee or change
      for (const amounts of [[first], [second], [first, second], [first + second]]) {
        const claims = (own: number): TokenSpend => ({ tokens: to(own), payment: outpoint(pay), change });
        const all: TokenSpend = {
          tokens: amounts.map((amount) => ({ satoshis: amount as Utxo['satoshis'], owner: hashOf(bob) })),
          payment: outpoint(pay),
          change,
        };
        for (const claim of [all, { ...all, payment: outpoint(b) }, claims(first)]) {
          const inputs: ForgedInput[] = [
            { utxo: a, key: alice, version, claim },
            { utxo: b, key: alice, version, claim: { ...claim, payment: outpoint(a) } },
            { utxo: pay, key: payer },
          ];
          steps.push(stepOf(forge(inputs, outputsOf(amounts))));
          // the second token is claimed as the payment of the first
          steps.push(stepOf(forge(inputs.slice(0, 2), outputsOf(amounts))));
        }
      }
    }
    expect(steps.length).toBeGreaterThan(20);
    expect([...new Set(steps)].sort()).toEqual(['conserve', 'inputs']);
  });

  it('rejects the second token independently of the first', () => {
    const a = output(code(), 1_000);
    const b = output(code(), 1_000);
    const claim = (payment: Utxo): TokenSpend => ({ tokens: to(1_000), payment: outpoint(payment), change });
    const forgery = forge(
      [
        { utxo: a, key: alice, version, claim: claim(b) },
        { utxo: b, key: alice, version, claim: claim(a) },
      ],
      [out(code(bob), 1_000), changeOut],
    );
    expect(judgeInput(forgery, 0)).toEqual({ ok: true });
    expect(judgeInput(forgery, 1)).toMatchObject({ ok: false, step: 'inputs' });
  });

  it('refuses any inputs other than itself followed by one payment', () => {
    const steps: string[] = [];
    const others = [coin(payer, 1), coin(mallory, 7_000), output(p2pkhScript(hashOf(payer)), 9)];
    for (const other of others) {
      const { inputs, outputs, paying } = transfer(version);
      const [token, pay] = inputs as [ForgedInput, ForgedInput];
      const extra: ForgedInput = { utxo: other, key: other === others[1] ? mallory : payer };
      const claiming = (claim: Partial<TokenSpend>): ForgedInput => ({
        ...token,
        claim: { ...(token.claim as TokenSpend), ...claim },
      });
      steps.push(
        stepOf(forge([token, pay, extra], outputs)),
        stepOf(forge([token, extra, pay], outputs)),
        stepOf(forge([extra, token, pay], outputs)),
        stepOf(forge([pay, token], outputs)),
        stepOf(forge([token, extra], outputs)),
        stepOf(forge([token], outputs)),
        stepOf(forge([claiming({ payment: undefined }), pay], outputs)),
        stepOf(forge([claiming({ payment: { txid: paying.txid, vout: paying.vout + 1 } }), pay], outputs)),
        stepOf(forge([claiming({ payment: outpoint(token.utxo) }), pay], outputs)),
      );
    }
    expect(steps.length).toBeGreaterThan(20);
    expect([...new Set(steps)]).toEqual(['inputs']);
  });

  it('refuses a payment that is not exactly one outpoint', () => {
    const passed: string[] = [];
    const at = version === 1 ? 1 : 2;
    const lengths = [1, 4, 31, 32, 33, 34, 35, 37, 38, 39, 40, 64, 68, 71, 72, 73, 76, 104, 107, 108];
    for (const length of lengths) {
      const { inputs, outputs } = transfer(version);
      const [token, pay] = inputs as [ForgedInput, ForgedInput];
      const more = [coin(payer, 1), coin(payer, 2)].map((utxo) => ({ utxo, key: payer }));
      // as many inputs as the length field allows; for complete outpoints the list is the real one
      const behind = [pay, ...more].slice(0, Math.max(1, Math.ceil(length / 36)));
      const list = concatBytes(...[pay, ...more].map(({ utxo }) => outpointBytes(utxo)));
      const claims = (pushes: Uint8Array[]) => pushes.with(-at, pushData(list.slice(0, length)));
      const verdict = judge(forge([{ ...token, claims }, ...behind], outputs));
      if (verdict.ok || verdict.step !== 'inputs') passed.push(`${length}: ${verdict.ok || verdict.step}`);
    }
    expect(passed).toEqual([]);
  });

  it('accepts only its own preimage', () => {
    const put = (bytes: Uint8Array, at: number, value: number) => {
      const copy = bytes.slice();
      copy[at < 0 ? copy.length + at : at] = value;
      return copy;
    };
    const flip = (at: number) => (bytes: Uint8Array) => put(bytes, at, ((bytes.at(at) as number) ^ 1) & 0xff);
    const typed = (type: number) => (_: Uint8Array, tx: Tx) =>
      sighashPreimage(tx, 0, tx0.lockingScript, tx0.satoshis, type);
    const tx0 = output(code(), 1_000);
    const otherTx = forge([{ utxo: tx0, key: alice }], [out(code(bob), 1_000)]).tx;
    const changes: [string, (bytes: Uint8Array, tx: Tx) => Uint8Array][] = [
      ['version', flip(0)],
      ['inputs', flip(4)],
      ['inputs, last byte', flip(35)],
      ['sequences', flip(36)],
      ['outpoint', flip(68)],
      ['output number', flip(100)],
      ['length of the script', flip(105)],
      ['form of the length', flip(104)],
      ['owner part', flip(107)],
      ['owner', flip(110)],
      ['first byte of the code', flip(132)],
      ['middle of the code', flip(600)],
      ['redemption hash', flip(-90)],
      ['amount', flip(-52)],
      ['sequence', flip(-44)],
      ['outputs', flip(-40)],
      ['outputs, last byte', flip(-9)],
      ['lock time', flip(-8)],
      ['hash type', flip(-4)],
      ['upper bytes of the hash type', flip(-1)],
      ['no bytes', () => new Uint8Array(0)],
      ['cut short', (bytes) => bytes.slice(0, -1)],
      ['cut at the front', (bytes) => bytes.slice(1)],
      ['made longer', (bytes) => concatBytes(bytes, Uint8Array.of(0))],
      ['zero in front', (bytes) => concatBytes(Uint8Array.of(0), bytes)],
      ['of another transaction', () => sighashPreimage(otherTx, 0, tx0.lockingScript, tx0.satoshis, 0x41)],
      [
        'of the payment input',
        (_, tx) => sighashPreimage(tx, 1, p2pkhScript(hashOf(payer)), 5_000 as Utxo['satoshis'], 0x41),
      ],
      ...[0x42, 0x43, 0xc1, 0xc2, 0xc3, 0x40, 0x61, 0x141].map(
        (type) =>
          [`hash type ${type.toString(16)}`, typed(type)] as [
            string,
            typeof typed extends (t: number) => infer F ? F : never,
          ],
      ),
    ];
    expect(changes.length).toBeGreaterThan(20);
    for (const [name, preimage] of changes) {
      const { inputs, outputs } = transfer(version, { utxo: tx0, preimage });
      expect([name, stepOf(forge(inputs, outputs))]).toEqual([name, 'authenticate']);
    }
    const { inputs, outputs } = transfer(version, { utxo: tx0 });
    expect(stepOf(forge(inputs, outputs))).toBe('passed');
  });

  it('enforces the rules for every hash type of the owner', () => {
    for (const signedAs of [0x42, 0x43, 0xc1, 0xc2, 0xc3]) {
      const { inputs, outputs } = transfer(version, { signedAs });
      expect(stepOf(forge(inputs, outputs))).toBe('passed');
      const forged = [
        [out(code(bob), 999), changeOut],
        [out(code(bob), 1_001), changeOut],
        [out(code(mallory), 1_000), changeOut],
        [changeOut, out(code(bob), 1_000)],
        [...outputs, changeOut],
        [out(code(bob), 1_000)],
      ];
      expect(forged.map((list) => stepOf(forge(inputs, list)))).toEqual(forged.map(() => 'result'));
    }
  });

  it('can only be spent by the owner', () => {
    const { inputs, outputs } = transfer(version);
    const [token, pay] = inputs as [ForgedInput, ForgedInput];
    for (const key of [bob, mallory, payer, keys.issuer])
      expect(stepOf(forge([{ ...token, key }, pay], outputs))).toBe('P2PKH');
    const { tx, spent } = forge(inputs, outputs);
    const honest = tx.inputs[0]?.script as Uint8Array;
    const judged = (script: Uint8Array) =>
      stepOf({ tx: { ...tx, inputs: tx.inputs.map((input, i) => (i === 0 ? { ...input, script } : input)) }, spent });
    const signatureAt = parseScript(honest).chunks.at(-2)?.offset as number;
    // for an empty signature CHECKSIG returns false instead of failing
    const empty = concatBytes(honest.slice(0, signatureAt), Uint8Array.of(0), pushData(publicKeyOf(alice)));
    expect(judged(empty)).toBe('owner');
    // the length, r, its length, s: every third byte of the signature; its last one is the hash type
    for (let at = 1; at < 68; at += 3) {
      const flipped = honest.with(signatureAt + at, (honest[signatureAt + at] as number) ^ 1);
      expect(['P2PKH', 'unlocking']).toContain(judged(flipped));
    }
  });

  it('refuses a script whose length is not encoded in three bytes, which would shift the owner', () => {
    // an issuer could write such a script, but it can never be spent
    const long = tokenScript(alice, version, { data: new Uint8Array(60_000) });
    const utxo = output(concatBytes(long, new Uint8Array(70_000 - long.length)), 1_000);
    const { inputs, outputs } = transfer(version, { utxo });
    expect(stepOf(forge(inputs, outputs))).toBe('dissect');
  });
});

describe('covenant version 1 and 2 together', () => {
  it('refuses a token of version 2 that merges with one of version 1 or with none', () => {
    const steps: string[] = [];
    for (const script of [
      tokenScript(alice, 1),
      p2pkhScript(hashOf(alice)),
      tokenScript(alice, 2, { symbol: 'TEA' }),
    ]) {
      for (const second of [false, true]) {
        const mine = parentOf([out(tokenScript(alice, 2), 700)], 0);
        const other = parentOf([out(script, 300)], 0);
        const claim: TokenSpend = {
          tokens: to(1_000),
          merge: { other: outpoint(other.utxo), second, previousTx: new Uint8Array(0) },
        };
        const inputs: ForgedInput[] = [
          { utxo: mine.utxo, key: alice, claim },
          { utxo: other.utxo, key: alice, version: 1, claim: { tokens: to(1_000), payment: outpoint(mine.utxo) } },
        ];
        const ordered = second ? [...inputs].reverse() : inputs;
        steps.push(stepOf(forge(ordered, [out(tokenScript(bob, 2), 1_000)])));
      }
    }
    expect(steps).not.toContain('passed');
  });
});

function outpointBytes({ txid, vout }: Utxo): Uint8Array {
  return concatBytes(displayToHash(txid), Uint8Array.of(vout, 0, 0, 0));
}
