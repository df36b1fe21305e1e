import { BigNumber, Curve } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blockFlags,
  chronicleRules,
  concatBytes,
  interpretScripts,
  mempoolFlags,
  p2pkhScript,
  pushData,
  type ScriptRules,
  satoshis,
  scriptFlag,
  sha256,
  sighashPreimage,
  spentOutputFlags,
  type Tx,
  type Utxo,
  verifyNatively,
  verifyScripts,
} from '../../chain/index.ts';
import { keyBytes } from '../../chain/keys/digest-signer.ts';
import { nativeSigner, type VerifySignature } from '../../chain/keys/native-verifier.ts';
import { key, keyHash } from '../../chain/test-support/fixtures.ts';
import { scriptCases, transactionCases } from '../../chain/test-support/script-vectors.ts';
import { unconfirmedInputs } from '../../chain/verification/confirm.ts';
import { loadWasmSigner, loadWasmVerifier } from './wasm-curve.ts';

const RUNS = process.env.PLANCHET_LONG ? 20_000 : 120;

const wasm = await loadWasmVerifier();
if (verifyNatively === undefined) throw new Error('the package has no binary for this machine');
const native: VerifySignature = verifyNatively;

/** The verdicts of the three: the compiled verifier, the one of WebAssembly, and the SDK's interpreter alone. */
function verdicts(tx: Tx, spent: readonly Utxo[]) {
  return {
    native: verifyScripts(tx, spent, native),
    wasm: verifyScripts(tx, spent, wasm),
    sdk: interpretScripts(tx, spent),
  };
}

/** The rule sets of block and output, each with and without the flags of policy, and flags that no block has. */
const RULES: readonly ScriptRules[] = [
  ...[true, false].flatMap((block) =>
    [true, false].flatMap((output) =>
      [blockFlags(block), mempoolFlags(block)].map((flags) => ({ flags: flags | spentOutputFlags(output) })),
    ),
  ),
  { flags: chronicleRules.flags | scriptFlag.COMPRESSED_PUBKEYTYPE },
  { flags: blockFlags(true) },
  { flags: 0 },
];

function expectSame(tx: Tx, spent: readonly Utxo[], text: string): boolean {
  const { native: first, wasm: second, sdk } = verdicts(tx, spent);
  expect(first, text).toEqual(sdk);
  expect(second, text).toEqual(sdk);
  return sdk.ok;
}

const publicKey = Uint8Array.from(key.toPublicKey().toDER() as number[]);
const plainKey = Uint8Array.from(key.toPublicKey().encode(false) as number[]);
const order = new BigNumber(new Curve().n.toString(16), 16);
const coin: Utxo = {
  txid: 'ab'.repeat(32),
  vout: 0,
  satoshis: satoshis(1_000),
  lockingScript: p2pkhScript(keyHash(key)),
};
const unsigned: Tx = {
  version: 1,
  inputs: [{ txid: coin.txid, vout: 0, script: new Uint8Array(), sequence: 0xffffffff }],
  outputs: [{ satoshis: satoshis(900), script: coin.lockingScript }],
  lockTime: 0,
};
const signature = key.sign(Array.from(sha256(sighashPreimage(unsigned, 0, coin.lockingScript, coin.satoshis, 0x41))));

/** The payment with exactly this signature, valid or not, followed by its hash type. */
function signedWith(der: Uint8Array, pub = publicKey): Tx {
  const script = concatBytes(pushData(concatBytes(der, Uint8Array.of(0x41))), pushData(pub));
  return { ...unsigned, inputs: unsigned.inputs.map((input) => ({ ...input, script })) };
}

const bytesOf = (number: BigNumber): number[] => number.toArray('be') as number[];
const integer = (bytes: readonly number[]): number[] => [0x02, bytes.length, ...bytes];
const sequence = (body: readonly number[]): Uint8Array => Uint8Array.of(0x30, body.length, ...body);
const positive = (bytes: readonly number[]): number[] => ((bytes[0] ?? 0) >= 0x80 ? [0, ...bytes] : [...bytes]);
const r = bytesOf(signature.r);
const s = bytesOf(signature.s);
const highS = bytesOf(order.sub(signature.s));

/** Ways to write a signature; only the first is valid. */
const encodings: Record<string, Uint8Array> = {
  strict: sequence([...integer(positive(r)), ...integer(positive(s))]),
  'high S': sequence([...integer(positive(r)), ...integer(positive(highS))]),
  'r padded': sequence([...integer([0, ...positive(r)]), ...integer(positive(s))]),
  's padded': sequence([...integer(positive(r)), ...integer([0, ...positive(s)])]),
  'r negative': sequence([...integer([0x80, ...r.slice(1)]), ...integer(positive(s))]),
  'no r': sequence([...integer([]), ...integer(positive(s))]),
  'r is zero': sequence([...integer([0]), ...integer(positive(s))]),
  's is zero': sequence([...integer(positive(r)), ...integer([0])]),
  'r is the order': sequence([...integer(positive(bytesOf(order))), ...integer(positive(s))]),
  's is the order': sequence([...integer(positive(r)), ...integer(positive(bytesOf(order)))]),
  'wrong length': Uint8Array.of(0x30, 0x10, ...integer(positive(r)), ...integer(positive(s))),
  'bytes left over': concatBytes(sequence([...integer(positive(r)), ...integer(positive(s))]), Uint8Array.of(0)),
  'long form of the length': Uint8Array.of(0x30, 0x81, 0x44, ...integer(positive(r)), ...integer(positive(s))),
  'nothing at all': new Uint8Array(),
};

describe('the compiled verifier, the one of WebAssembly and the interpreter', () => {
  it('agree on all script tests of the node', () => {
    const cases = scriptCases();
    for (const { tx, spent, text } of cases) expectSame(tx, spent, text);
    expect(cases).toHaveLength(1_483);
  });

  it('agree on the transactions of the node that can be read and whose outputs are known', () => {
    let compared = 0;
    for (const file of ['tx_valid.json', 'tx_invalid.json']) {
      for (const { tx, spent, text } of transactionCases(file, true)) {
        if (tx === undefined || spent.length !== tx.inputs.length) continue;
        expectSame(tx, spent, text);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(150);
  });

  it('accept the strict form of a signature only', () => {
    const taken = Object.entries(encodings).filter(([name, der]) => expectSame(signedWith(der), [coin], name));
    expect(taken.map(([name]) => name)).toEqual(['strict']);
  });

  it('agree under every rule set on every hash type, version and form of signature', () => {
    const all = [0x41, 0x43, 0xc2, 0x61, 0x62, 0xe1, 0xe3, 0x01, 0x21, 0x60, 0xff];
    const types = all.filter((_, at) => process.env.PLANCHET_LONG || at % 3 === 0);
    const counts = { true: 0, false: 0 };
    for (const version of [1, 2]) {
      for (const type of types) {
        const tx = { ...unsigned, version };
        const digest = sha256(sighashPreimage(tx, 0, coin.lockingScript, coin.satoshis, type | 0x40));
        const own = key.sign(Array.from(digest));
        for (const high of [false, true]) {
          const number = high ? order.sub(own.s) : own.s;
          const der = sequence([...integer(positive(bytesOf(own.r))), ...integer(positive(bytesOf(number)))]);
          for (const rest of [new Uint8Array(), Uint8Array.of(0x61)]) {
            const script = concatBytes(pushData(concatBytes(der, Uint8Array.of(type))), pushData(publicKey), rest);
            const signed = { ...tx, inputs: tx.inputs.map((input) => ({ ...input, script })) };
            for (const rules of RULES) {
              const sdk = interpretScripts(signed, [coin], { rules });
              expect(verifyScripts(signed, [coin], native, rules)).toEqual(sdk);
              expect(verifyScripts(signed, [coin], wasm, rules)).toEqual(sdk);
              counts[`${sdk.ok}`]++;
            }
          }
        }
      }
    }
    expect(counts.true).toBeGreaterThan(7 * types.length);
    expect(counts.false).toBeGreaterThan(36 * types.length);
  });

  it('leave unknown scripts to the interpreter', () => {
    const always: VerifySignature = () => true;
    const plain = signedWith(encodings.strict as Uint8Array);
    const known = RULES.filter((rules) => unconfirmedInputs(plain, [coin], always, rules).size === 0);
    expect(known).toEqual(RULES.slice(0, 8));
    const retyped = (type: number): Tx => {
      const script = Uint8Array.from(plain.inputs[0]?.script ?? []);
      script[script[0] as number] = type;
      return { ...plain, inputs: plain.inputs.map((input) => ({ ...input, script })) };
    };
    const types = Array.from({ length: 256 }, (_, type) => type);
    const taken = types.filter((type) => unconfirmedInputs(retyped(type), [coin], always, chronicleRules).size === 0);
    expect(taken).toEqual([0x41, 0x42, 0x43, 0xc1, 0xc2, 0xc3]);
    const computing = concatBytes(plain.inputs[0]?.script ?? new Uint8Array(), Uint8Array.of(0x61));
    const computes = { ...plain, version: 2, inputs: plain.inputs.map((input) => ({ ...input, script: computing })) };
    expect(unconfirmedInputs(computes, [coin], always, chronicleRules).size).toBe(1);
    expect(unconfirmedInputs(signedWith(encodings['high S'] as Uint8Array), [coin], always, chronicleRules).size).toBe(
      1,
    );
  });

  it('agree on keys in every form, and on missing keys', () => {
    const keys = {
      compressed: publicKey,
      plain: plainKey,
      hybrid: Uint8Array.of(6 + ((plainKey[64] as number) & 1), ...plainKey.subarray(1)),
      short: publicKey.subarray(1),
      'not on the curve': Uint8Array.of(2, ...new Uint8Array(31), 5),
      'beyond the field': Uint8Array.of(2, ...new Uint8Array(32).fill(0xff)),
      none: new Uint8Array(),
    };
    const strict = encodings.strict as Uint8Array;
    for (const [name, pub] of Object.entries(keys)) {
      const locking = concatBytes(pushData(pub), Uint8Array.of(0xac));
      expectSame(signedWith(strict, pub), [coin], name);
      const script = pushData(concatBytes(strict, Uint8Array.of(0x41)));
      const paid = { ...unsigned, inputs: unsigned.inputs.map((input) => ({ ...input, script })) };
      expectSame(paid, [{ ...coin, lockingScript: locking }], `paid to ${name}`);
    }
  });

  it('agree on signatures, digests and keys of any bytes', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    const digest = sha256(sha256(sighashPreimage(unsigned, 0, coin.lockingScript, coin.satoshis, 0x41)));
    const compact = concatBytes(padded(r), padded(s));
    const flipped = (from: Uint8Array) =>
      fc.tuple(fc.nat(from.length - 1), fc.integer({ min: 0, max: 255 })).map(([at, flip]) => {
        const changed = Uint8Array.from(from);
        changed[at] = (changed[at] as number) ^ flip;
        return changed;
      });
    let confirmed = 0;
    fc.assert(
      fc.property(
        fc.oneof(flipped(compact), bytes(64)),
        fc.oneof(fc.constant(digest), flipped(digest)),
        fc.oneof(flipped(publicKey), flipped(plainKey), bytes(33)),
        (given, hash, pub) => {
          const verdict = native(given, hash, pub);
          expect(wasm(given, hash, pub)).toBe(verdict);
          if (verdict) confirmed++;
        },
      ),
      { numRuns: RUNS, examples: [[compact, digest, publicKey]] },
    );
    expect(confirmed).toBeGreaterThan(0);
    expect(wasm(compact.subarray(1), digest, publicKey)).toBe(false);
    expect(wasm(compact, digest, new Uint8Array(200))).toBe(false);
  });

  it('are matched by signers that make the same bytes', async () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const signer = await loadWasmSigner();
    fc.assert(
      fc.property(bytes, (digest) => {
        expect(signer.sign(digest, keyBytes(key))).toEqual(nativeSigner?.sign(digest, keyBytes(key)));
      }),
      { numRuns: 100 },
    );
  });
});

function padded(bytes: readonly number[]): Uint8Array {
  const whole = new Uint8Array(32);
  whole.set(bytes, 32 - bytes.length);
  return whole;
}
