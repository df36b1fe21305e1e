import { PublicKey, Signature } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ByteWriter,
  fromHex,
  hashToDisplay,
  inscriptionScript,
  p2pkhScript,
  parseScript,
  parseTx,
  satoshis,
  sha256,
  sha256d,
  sharedSighash,
  sighashPreimage,
  signatureDigest,
  signP2pkhInputs,
  type Tx,
  type TxOutput,
  toHex,
  txidOf,
  type Utxo,
  verifyScripts,
  writeOutput,
} from '../index.ts';
import { key, keyHash, otherKey, readVectors, txInput, txOutput } from '../test-support/fixtures.ts';
import { hasNoOriginalPreimage, originalPreimage } from './sighash-original.ts';

type SighashCase = [raw: string, script: string, input: number, type: number, hash: string];

const vectors = readVectors<(SighashCase | [string])[]>('forkid-sighash.json').filter(
  (entry): entry is SighashCase => entry.length === 5,
);
const signingFailed = expect.objectContaining({ code: 'signing-failed' });

function spending(outputs: readonly Utxo[], pays: Tx['outputs']): Tx {
  const inputs = outputs.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(0), sequence: 0xffffffff }));
  return { version: 1, inputs, outputs: pays, lockTime: 0 };
}

const output = (vout: number, value: number, lockingScript: Uint8Array): Utxo => ({
  txid: 'ab'.repeat(32),
  vout,
  satoshis: satoshis(value),
  lockingScript,
});

const coin = output(0, 5000, p2pkhScript(keyHash(key)));
const otherCoin = output(1, 7000, p2pkhScript(keyHash(otherKey)));
const token = output(
  2,
  1,
  inscriptionScript({
    pubKeyHash: keyHash(key),
    contentType: 'text/plain',
    content: Uint8Array.of(1, 2, 3),
    map: { app: 'planchet', type: 'ord', name: 'a' },
  }),
);
const payment = [{ satoshis: satoshis(4000), script: p2pkhScript(keyHash(otherKey)) }];

/** An input as serialised by the original algorithm. @param script with its length, in hex */
function inputBytes({ txid, vout }: Utxo, script: string, sequence: number): string {
  const number = (value: number) => toHex(Uint8Array.of(value, 0, 0, 0));
  return toHex(fromHex(txid).reverse()) + number(vout) + script + number(sequence);
}

function outputBytes(one: TxOutput): Uint8Array {
  const writer = new ByteWriter(17 + one.script.length);
  writeOutput(writer, one);
  return writer.done();
}

describe('sighashPreimage', () => {
  it('computes the published hashes for all types with the fork id', () => {
    // the vectors predate Chronicle, which gave 0x20 its meaning
    const withForkId = vectors.filter(([, , , type]) => (type & 0x60) === 0x40);
    expect(withForkId.length).toBe(249);
    for (const [raw, script, input, type, expected] of withForkId) {
      const preimage = sighashPreimage(parseTx(fromHex(raw)), input, fromHex(script), satoshis(0), type);
      expect(hashToDisplay(sha256d(preimage))).toBe(expected);
    }
  });

  it('computes the published hashes of the original algorithm', () => {
    const original = vectors.filter(([, , , type]) => (type & 0x40) === 0);
    let withoutPreimage = 0;
    for (const [raw, script, input, type, expected] of original) {
      const tx = parseTx(fromHex(raw));
      if (hasNoOriginalPreimage(tx, input, type)) withoutPreimage++;
      else expect(hashToDisplay(sha256d(originalPreimage(tx, input, fromHex(script), type)))).toBe(expected);
    }
    expect([original.length, withoutPreimage]).toEqual([500, 0]);
  });

  it('uses the original algorithm for CHRONICLE with FORKID, for every hash type', () => {
    const coins = [coin, otherCoin, token];
    const outputs = [...payment, { satoshis: satoshis(7), script: coin.lockingScript }];
    const tx: Tx = { ...spending(coins, outputs), version: 2, lockTime: 9 };
    const sequenced = { ...tx, inputs: tx.inputs.map((input, index) => ({ ...input, sequence: 100 + index })) };
    const script = fromHex('ab76ab4c01ab0151abac');
    const seen = new Set<string>();
    for (const type of [0x61, 0x62, 0x63, 0xe1, 0xe2, 0xe3]) {
      const preimage = sighashPreimage(sequenced, 1, script, coin.satoshis, type);
      const everyInput = type < 0x80;
      const base = type & 0x1f;
      const rest = base === 1 ? 100 : 0;
      const signed = [inputBytes(otherCoin, '07764c01ab0151ac', 101)];
      const others = [inputBytes(coin, '00', rest && 100), inputBytes(token, '00', rest && 102)];
      const inputs = everyInput ? [others[0], ...signed, others[1]] : signed;
      const written = sequenced.outputs.map((one) => toHex(outputBytes(one)));
      const single = [`${'ff'.repeat(8)}00`, written[1]];
      const kept = base === 1 ? written : base === 2 ? [] : single;
      const counts = [inputs.length, kept.length].map((count) => count.toString(16).padStart(2, '0'));
      const expected = ['02000000', counts[0], ...inputs, counts[1], ...kept, '09000000', `${type.toString(16)}000000`];
      expect(toHex(preimage), type.toString(16)).toBe(expected.join(''));
      seen.add(toHex(preimage));
    }
    expect(seen.size).toBe(6);
  });

  it('refuses SINGLE with CHRONICLE if the input has no matching output', () => {
    const tx = spending([coin, otherCoin], payment);
    expect(() => sighashPreimage(tx, 1, otherCoin.lockingScript, otherCoin.satoshis, 0x63)).toThrow(signingFailed);
    const digest = (type: number) =>
      toHex(signatureDigest(sharedSighash(tx), tx, 1, otherCoin.lockingScript, otherCoin.satoshis, type));
    expect(digest(0x63)).toBe(`01${'00'.repeat(31)}`);
    expect(digest(0xe3)).toBe(`01${'00'.repeat(31)}`);
    expect(digest(0x43)).toBe(
      toHex(sha256d(sighashPreimage(tx, 1, otherCoin.lockingScript, otherCoin.satoshis, 0x43))),
    );
  });

  it('handles a truncated push in a script code like the node', () => {
    const tx = spending([coin], payment);
    const code = (script: string) => toHex(sighashPreimage(tx, 0, fromHex(script), coin.satoshis, 0x61)).slice(82);
    expect(code('6aabab05ab').slice(0, 6)).toBe('036a05');
    expect(code('6aab4cffab').slice(0, 8)).toBe('046a4cff');
    expect(code('6aab4d01').slice(0, 6)).toBe('036a4d');
  });

  it('refuses types without the fork id and missing inputs', () => {
    for (const [raw, script, input, type] of vectors.filter(([, , , type]) => (type & 0x40) === 0)) {
      expect(() => sighashPreimage(parseTx(fromHex(raw)), input, fromHex(script), satoshis(0), type)).toThrow(
        signingFailed,
      );
    }
    expect(() => sighashPreimage(spending([coin], payment), 1, coin.lockingScript, coin.satoshis, 0x41)).toThrow(
      signingFailed,
    );
  });

  it('commits to the value, the script and every part of the transaction', () => {
    const tx = spending([coin, otherCoin], payment);
    const base = sighashPreimage(tx, 0, coin.lockingScript, coin.satoshis, 0x41).toString();
    const changed = [
      sighashPreimage(tx, 1, coin.lockingScript, coin.satoshis, 0x41),
      sighashPreimage(tx, 0, otherCoin.lockingScript, coin.satoshis, 0x41),
      sighashPreimage(tx, 0, coin.lockingScript, satoshis(5001), 0x41),
      sighashPreimage({ ...tx, version: 2 }, 0, coin.lockingScript, coin.satoshis, 0x41),
      sighashPreimage({ ...tx, lockTime: 1 }, 0, coin.lockingScript, coin.satoshis, 0x41),
      sighashPreimage({ ...tx, outputs: [] }, 0, coin.lockingScript, coin.satoshis, 0x41),
      sighashPreimage(spending([coin], payment), 0, coin.lockingScript, coin.satoshis, 0x41),
    ];
    expect(new Set([base, ...changed.map(String)]).size).toBe(changed.length + 1);
  });
});

describe('signP2pkhInputs', () => {
  it('creates valid signatures for coins and tokens of the key', () => {
    const tx = spending([coin, token], payment);
    const signed = signP2pkhInputs(tx, [coin, token], key);
    expect(verifyScripts(signed, [coin, token])).toStrictEqual({ ok: true });
    expect(tx.inputs.every(({ script }) => script.length === 0)).toBe(true);
    expect(txidOf(signed)).not.toBe(txidOf(tx));
  });

  it('is deterministic, with a low S and at most 107 bytes per script', () => {
    fc.assert(
      fc.property(
        fc.array(txInput, { maxLength: 2 }),
        fc.array(txOutput, { maxLength: 3 }),
        fc.boolean(),
        (others, outputs, final) => {
          const tx: Tx = { ...spending([coin], outputs), lockTime: 7 };
          const inputs = [{ ...(tx.inputs[0] as Tx['inputs'][number]), sequence: final ? 0xffffffff : 1 }, ...others];
          const spent = [
            coin,
            ...others.map(({ txid, vout }) => ({
              txid,
              vout,
              satoshis: satoshis(9),
              lockingScript: new Uint8Array(0),
            })),
          ];
          const unsigned = { ...tx, inputs };
          const [first] = signP2pkhInputs(unsigned, spent, key).inputs;
          expect(first).toStrictEqual(signP2pkhInputs(unsigned, spent, key).inputs[0]);
          const script = first?.script ?? new Uint8Array(0);
          expect(script.length).toBeLessThanOrEqual(107);
          const [signature, publicKey] = parseScript(script).chunks.map(({ data }) => Array.from(data ?? []));
          expect(signature?.pop()).toBe(0x41);
          const message = sha256(sighashPreimage(unsigned, 0, coin.lockingScript, coin.satoshis, 0x41));
          const parsed = Signature.fromDER(signature ?? []);
          expect(PublicKey.fromDER(publicKey ?? []).verify(Array.from(message), parsed)).toBe(true);
          expect(
            BigInt(`0x${parsed.s.toHex()}`) <= 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n,
          ).toBe(true);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('does not change inputs of other keys, so keys can sign in turn', () => {
    const spent = [coin, otherCoin];
    const half = signP2pkhInputs(spending(spent, payment), spent, key);
    expect(verifyScripts(half, spent)).toMatchObject({ ok: false, input: 1 });
    expect(verifyScripts(signP2pkhInputs(half, spent, otherKey), spent)).toStrictEqual({ ok: true });
  });

  it('refuses a key that owns no input, and spent outputs of other inputs', () => {
    expect(() => signP2pkhInputs(spending([otherCoin], payment), [otherCoin], key)).toThrow(signingFailed);
    expect(() => signP2pkhInputs(spending([coin], payment), [], key)).toThrow(signingFailed);
    expect(() => signP2pkhInputs(spending([coin], payment), [{ ...coin, vout: 5 }], key)).toThrow(signingFailed);
    expect(() => signP2pkhInputs(spending([coin], payment), [coin, coin], key)).toThrow(signingFailed);
  });
});

describe('verifyScripts', () => {
  const spent = [coin, token, otherCoin];
  const signed = signP2pkhInputs(signP2pkhInputs(spending(spent, payment), spent, key), spent, otherKey);
  const withScript = (index: number, script: Uint8Array): Tx => ({
    ...signed,
    inputs: signed.inputs.map((input, i) => (i === index ? { ...input, script } : input)),
  });

  it('reports the first input that fails, in one line', () => {
    for (const index of [0, 1, 2]) {
      const script = Uint8Array.from(signed.inputs[index]?.script ?? []);
      script[20] = (script[20] as number) ^ 1;
      const verdict = verifyScripts(withScript(index, script), spent);
      expect(verdict).toMatchObject({ ok: false, input: index });
      expect('reason' in verdict && verdict.reason).toMatch(/^[^\n]{5,300}$/);
    }
  });

  it('fails all inputs if anything signed is changed', () => {
    expect(verifyScripts(signed, spent)).toStrictEqual({ ok: true });
    expect(verifyScripts({ ...signed, lockTime: 1 }, spent)).toMatchObject({ ok: false, input: 0 });
    expect(verifyScripts({ ...signed, outputs: [] }, spent)).toMatchObject({ ok: false, input: 0 });
    const wrongValue = spent.map((utxo, i) => (i === 2 ? { ...utxo, satoshis: satoshis(7001) } : utxo));
    expect(verifyScripts(signed, wrongValue)).toMatchObject({ ok: false, input: 2 });
  });

  it('refuses a signature of another key, another hash type, and operations in an unlocking script', () => {
    const stolen = verifyScripts(withScript(0, signed.inputs[2]?.script ?? new Uint8Array(0)), spent);
    expect(stolen).toMatchObject({ ok: false, input: 0 });
    const plainType = Uint8Array.from(signed.inputs[0]?.script ?? []);
    plainType[plainType[0] as number] = 0x01;
    expect(verifyScripts(withScript(0, plainType), spent)).toMatchObject({ ok: false, input: 0 });
    const withNop = Uint8Array.of(...(signed.inputs[0]?.script ?? []), 0x61);
    expect(verifyScripts(withScript(0, withNop), spent)).toMatchObject({ ok: false, input: 0 });
  });

  it('applies the rules after Genesis', () => {
    const locked = (hex: string) => [output(0, 10, fromHex(hex))];
    const run = (unlocking: string, locking: string) => {
      const tx = spending(locked(locking), payment);
      const input = { ...(tx.inputs[0] as Tx['inputs'][number]), script: fromHex(unlocking) };
      return verifyScripts({ ...tx, inputs: [input] }, locked(locking)).ok;
    };
    expect(run('5152', '935387')).toBe(true);
    expect(run('5152', '935487')).toBe(false);
    expect(run('51', '6a')).toBe(true);
    expect(run('51', '006a')).toBe(false);
    // P2SH is an ordinary hash puzzle, and multiplication is enabled again
    expect(run('0151', 'a914da1745e9b549bd0bfa1a569971c77eba30cd5a4b87')).toBe(true);
    expect(run('5253', '955687')).toBe(true);
    expect(run('51', '4c')).toBe(false);
    expect(run('', '')).toBe(false);
  });

  it('refuses spent outputs that belong to other inputs', () => {
    expect(verifyScripts(signed, [token, coin, otherCoin])).toMatchObject({ ok: false, input: 0 });
    expect(verifyScripts(signed, spent.slice(0, 2))).toMatchObject({ ok: false, input: 2 });
  });
});
