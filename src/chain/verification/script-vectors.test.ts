import { BigNumber, Curve, Signature } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chronicleRules,
  concatBytes,
  fromHex,
  genesisRules,
  hasValidStandardSignature,
  inscriptionScript,
  interpretScripts,
  p2pkhScript,
  parseTx,
  pushData,
  satoshis,
  serializeTx,
  sha256,
  sharedSighash,
  sighashPreimage,
  signP2pkhInputs,
  type Tx,
  type Utxo,
  verifyNatively,
  verifyScripts,
} from '../index.ts';
import { digestSigner, keyBytes } from '../keys/digest-signer.ts';
import { key, keyHash, otherKey, readVectors } from '../test-support/fixtures.ts';
import { assemble, scriptCases } from '../test-support/script-vectors.ts';

const RUNS = process.env.PLANCHET_LONG ? 5_000 : 30;

describe('the interpreter', () => {
  it('agrees with the node on all 1,483 script tests, each under its own flags', () => {
    const cases = scriptCases();
    expect(cases.length).toBe(1_483);
    const afterGenesis = cases.filter(({ flags }) => flags.some((flag) => /GENESIS|CHRONICLE|FORKID/.test(flag)));
    expect(afterGenesis.length).toBe(139);
    const wrong = cases.filter(({ tx, spent, flags, passes }) => interpretScripts(tx, spent, { flags }).ok !== passes);
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });
});

const publicKey = Uint8Array.from(key.toPublicKey().toDER() as number[]);
const plainKey = Uint8Array.from(key.toPublicKey().encode(false) as number[]);
const tail = (hex: string) => concatBytes(p2pkhScript(keyHash(key)), fromHex(hex));

/** Outputs of one key in every form the fast path recognises, and in similar forms. */
const scripts: Record<string, Uint8Array> = {
  p2pkh: p2pkhScript(keyHash(key)),
  inscription: inscriptionScript({
    pubKeyHash: keyHash(key),
    contentType: 'text/plain',
    content: Uint8Array.of(1, 2, 3),
    map: { app: 'planchet', type: 'ord', name: 'a' },
  }),
  returned: tail('6a0401020304'),
  brokenReturn: tail('6a4cff'),
  envelope: tail('006303616263004f5d4c024142680a'.slice(0, -2)),
  nested: tail('00630063686851'),
  elseBranch: tail('0063516752686d51'),
  unfinished: tail('006303616263'),
  cutPush: tail('00634cff0168'),
  falseAfter: tail('00'),
  verifyAfter: tail('69'),
  trueAfter: tail('51'),
  p2pk: concatBytes(pushData(publicKey), Uint8Array.of(0xac)),
  p2pkPlain: concatBytes(pushData(plainKey), Uint8Array.of(0xac)),
  separated: tail('ab'),
};

function spendOf(lockingScripts: readonly Uint8Array[]): { tx: Tx; spent: Utxo[] } {
  const spent = lockingScripts.map((lockingScript, vout) => ({
    txid: 'ab'.repeat(32),
    vout,
    satoshis: satoshis(1_000 + vout),
    lockingScript,
  }));
  const inputs = spent.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }));
  const outputs = [
    { satoshis: satoshis(900), script: p2pkhScript(keyHash(otherKey)) },
    { satoshis: satoshis(1), script: p2pkhScript(keyHash(key)) },
  ];
  return { tx: { version: 1, inputs, outputs, lockTime: 0 }, spent };
}

interface SignOptions {
  readonly type?: number;
  readonly highS?: boolean;
  readonly pub?: Uint8Array;
  readonly bare?: boolean;
}

/** An unlocking script by `key`, with the requested deviations. */
function unlock(
  tx: Tx,
  index: number,
  spent: Utxo,
  { type = 0x41, highS = false, pub = publicKey, bare }: SignOptions,
) {
  const message = sha256(sighashPreimage(tx, index, spent.lockingScript, spent.satoshis, type | 0x40));
  const signature = Signature.fromDER([...digestSigner.sign(sha256(message), keyBytes(key))]);
  if (highS) signature.s = new BigNumber(new Curve().n.toString(16), 16).sub(signature.s);
  const push = pushData(Uint8Array.of(...(signature.toDER() as number[]), type));
  return bare ? push : concatBytes(push, pushData(pub));
}

function withScript(tx: Tx, index: number, script: Uint8Array): Tx {
  return { ...tx, inputs: tx.inputs.map((input, n) => (n === index ? { ...input, script } : input)) };
}

describe('the bounds of the interpreter', () => {
  const verdictOf = (text: string, rules = chronicleRules) => {
    const { tx, spent } = spendOf([assemble(text)]);
    return interpretScripts(withScript(tx, 0, Uint8Array.of(0x51)), spent, { rules });
  };

  it('refuse a result that exceeds the memory limit, before it is computed', () => {
    expect(verdictOf('0x04 0xffffff3f NUM2BIN')).toMatchObject({ reason: expect.stringMatching('Stack memory usage') });
    const product = `2 ${'DUP MUL '.repeat(26)}`;
    expect(verdictOf(product, genesisRules)).toMatchObject({ reason: 'A number is longer than 750000 bytes' });
  });

  it('do not change results', () => {
    expect(verdictOf('0x02 0xff7f NUM2BIN SIZE 0x02 0xff7f EQUALVERIFY')).toEqual({ ok: true });
    // a shift by far more bits than the number has
    expect(verdictOf('DROP 0x02 0xabcd 0x04 0xffffff7f LSHIFT 0x02 0x0000 EQUAL')).toEqual({ ok: true });
    expect(verdictOf('DROP 0x02 0xabcd 0x04 0xffffff7f RSHIFT 0x02 0x0000 EQUAL')).toEqual({ ok: true });
    expect(verdictOf('DROP 0x02 0xabcd 16 LSHIFT 0x02 0x0000 EQUAL')).toEqual({ ok: true });
    expect(verdictOf('DROP 0x02 0xabcd 4 LSHIFT 0x02 0xbcd0 EQUAL')).toEqual({ ok: true });
    expect(verdictOf('0 IF 0x04 0xffffff3f NUM2BIN ENDIF')).toEqual({ ok: true });
  });
});

describe('the compiled verifier', () => {
  it('is available on this machine, and confirms the common forms without the interpreter', () => {
    const verify = verifyNatively;
    if (verify === undefined) throw new Error('the package has no binary for this machine');
    const confirmed = Object.entries(scripts).filter(([name, script]) => {
      const { tx, spent } = spendOf([script]);
      const coin = spent[0] as Utxo;
      const signed = withScript(tx, 0, unlock(tx, 0, coin, { bare: name.startsWith('p2pk') && name !== 'p2pkh' }));
      return hasValidStandardSignature(signed, 0, coin, sharedSighash(signed), verify);
    });
    expect(confirmed.map(([name]) => name)).toEqual([
      'p2pkh',
      'inscription',
      'returned',
      'brokenReturn',
      'envelope',
      'p2pk',
      'p2pkPlain',
    ]);
  });

  it('does not change a verdict of the node’s script tests under the rules after Genesis', () => {
    for (const { tx, spent } of scriptCases()) expect(verifyScripts(tx, spent)).toEqual(interpretScripts(tx, spent));
  });

  it('does not change a verdict for high S, unusual hash types and keys, and forms similar to the standard ones', () => {
    const verdicts = { true: 0, false: 0 };
    for (const [name, script] of Object.entries(scripts)) {
      for (const type of [0x41, 0x42, 0x43, 0xc1, 0xc2, 0xc3, 0x01, 0x40, 0x44, 0x61, 0x00, 0xff]) {
        for (const highS of [false, true]) {
          for (const pub of [publicKey, plainKey, Uint8Array.of(6, ...plainKey.subarray(1)), publicKey.subarray(1)]) {
            const { tx, spent } = spendOf([script]);
            const coin = spent[0] as Utxo;
            const bare = name === 'p2pk' || name === 'p2pkPlain';
            const signed = withScript(tx, 0, unlock(tx, 0, coin, { type, highS, pub, bare }));
            const verdict = verifyScripts(signed, spent);
            expect(verdict, `${name} ${type} ${highS} ${pub.length}`).toEqual(interpretScripts(signed, spent));
            verdicts[`${verdict.ok}`]++;
          }
        }
      }
    }
    expect(verdicts.true).toBeGreaterThan(50);
    expect(verdicts.false).toBeGreaterThan(500);
  });

  it('does not change a verdict if any byte of a signed transaction or of its spent outputs is changed', () => {
    const base = spendOf([scripts.p2pkh as Uint8Array, scripts.inscription as Uint8Array]);
    const signed = signP2pkhInputs(base.tx, base.spent, key);
    expect(verifyScripts(signed, base.spent)).toEqual({ ok: true });
    const mutation = fc.record({
      part: fc.constantFrom('unlocking', 'locking', 'transaction', 'value'),
      input: fc.nat(1),
      at: fc.nat(),
      flip: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 2 }), (mutations) => {
        let tx = signed;
        let spent = base.spent;
        for (const { part, input, at, flip } of mutations) {
          const flipped = (bytes: Uint8Array) =>
            bytes.length === 0 ? bytes : bytes.map((byte, n) => (n === at % bytes.length ? byte ^ flip : byte));
          if (part === 'unlocking') tx = withScript(tx, input, flipped(tx.inputs[input]?.script ?? new Uint8Array()));
          else if (part === 'transaction') tx = { ...tx, version: tx.version ^ flip, lockTime: at % 2 ? 0 : flip };
          else {
            spent = spent.map((coin, n) => {
              if (n !== input) return coin;
              return part === 'value'
                ? { ...coin, satoshis: satoshis(coin.satoshis + flip) }
                : { ...coin, lockingScript: flipped(coin.lockingScript) };
            });
          }
        }
        expect(verifyScripts(tx, spent)).toEqual(interpretScripts(tx, spent));
      }),
      { numRuns: RUNS },
    );
  });

  it('finds one invalid input among many valid ones', () => {
    const { tx, spent } = spendOf(Array.from({ length: 20 }, () => scripts.p2pkh as Uint8Array));
    const signed = signP2pkhInputs(tx, spent, key);
    const forged = withScript(signed, 13, signed.inputs[12]?.script ?? new Uint8Array());
    expect(verifyScripts(signed, spent)).toEqual({ ok: true });
    expect(verifyScripts(forged, spent)).toMatchObject({ ok: false, input: 13 });
    expect(verifyScripts(forged, spent)).toEqual(interpretScripts(forged, spent));
  });
});

describe('shared sighashes', () => {
  it('match the published vectors', () => {
    type Case = [raw: string, script: string, input: number, type: number, hash: string];
    const cases = readVectors<unknown[][]>('forkid-sighash.json').filter((row): row is Case => row.length === 5);
    for (const [raw, script, input, type] of cases.filter((row) => (row[3] & 0x40) !== 0)) {
      const tx = parseTx(fromHex(raw));
      const shared = sharedSighash(tx);
      for (let again = 0; again < 2; again++) {
        expect(shared(input, fromHex(script), satoshis(0), type)).toEqual(
          sighashPreimage(parseTx(serializeTx(tx)), input, fromHex(script), satoshis(0), type),
        );
      }
    }
  });
});
