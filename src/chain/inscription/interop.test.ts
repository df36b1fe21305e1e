import { Inscription } from '@bopen-io/templates';
import { LockingScript, PrivateKey } from '@bsv/sdk';
import fc from 'fast-check';
import { applyInscription, OrdP2PKH } from 'js-1sat-ord';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, inscriptionScript, p2pkhScript, readInscription, toHex } from '../index.ts';

const CASES = process.env.PLANCHET_LONG ? 1_000 : 60;
/** The same cases in every run. */
const settings = { numRuns: CASES, seed: 1_407 };
const OWNER_BYTES = 25;

// They write text without content or without metadata differently or not at all, and `cmd` is theirs.
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => text !== '|');
const inscribed = fc.record({
  key: fc.integer({ min: 1, max: 1_000_000 }).map((n) => PrivateKey.fromHex(n.toString(16).padStart(64, '0'))),
  content: fc.oneof(
    { weight: 4, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 300 }) },
    // on either side of where the form of a push changes
    fc.constantFrom(75, 76, 255, 256, 65_535, 65_536).map((length) => new Uint8Array(length).fill(length & 0xff)),
  ),
  contentType: word,
  more: fc.dictionary(
    word.filter((name) => !['cmd', 'app', 'type'].includes(name)),
    word,
    { maxKeys: 6, noNullPrototype: true },
  ),
  app: word,
});

const bytesOf = (script: { toHex(): string }): Uint8Array => fromHex(script.toHex());
const scriptOf = (script: Uint8Array): LockingScript => LockingScript.fromHex(toHex(script));
const hashOf = (key: PrivateKey): Uint8Array => Uint8Array.from(key.toPublicKey().toHash() as number[]);

describe(`${CASES} random inscriptions`, () => {
  it('written by us are read by the templates of js-1sat-ord, in both orders of envelope and lock, and serialised to the same bytes', () => {
    fc.assert(
      fc.property(inscribed, ({ key, content, contentType, more, app }) => {
        const map = { app, type: 'ord', ...more };
        const ours = inscriptionScript({ pubKeyHash: hashOf(key), contentType, content, map });
        const bare = inscriptionScript({ pubKeyHash: hashOf(key), contentType, content, map: {} });
        const end = bare.length - 40; // OP_RETURN and the pushes of the MAP prefix and SET
        const [lock, envelope, tail] = [
          ours.subarray(0, OWNER_BYTES),
          ours.subarray(OWNER_BYTES, end),
          ours.subarray(end),
        ];
        for (const script of [ours, concatBytes(envelope, lock, tail)]) {
          const theirs = Inscription.decode(scriptOf(script));
          expect(theirs?.file.type).toBe(contentType);
          expect(Uint8Array.from(theirs?.file.content ?? [])).toEqual(content);
          expect(toHex(bytesOf(theirs?.lock() as LockingScript))).toBe(toHex(script));
        }
      }),
      settings,
    );
  });

  it('written by js-1sat-ord are read by us, in both orders of envelope and lock, and serialised to the same bytes', () => {
    fc.assert(
      fc.property(inscribed, ({ key, content, contentType, more, app }) => {
        const map = { app, type: 'ord', ...more };
        const pubKeyHash = hashOf(key);
        const file = { dataB64: Buffer.from(content).toString('base64'), contentType };
        // The order of keys is free: with that of ours, the bytes must be the same.
        const ours = inscriptionScript({ pubKeyHash, contentType, content, map });
        const sorted = Object.fromEntries(
          Object.entries(map).sort(([a], [b]) => {
            const [one, other] = [Buffer.from(a), Buffer.from(b)];
            return one.length - other.length || Buffer.compare(one, other);
          }),
        ) as { app: string; type: string };
        const envelopeFirst = bytesOf(new OrdP2PKH().lock(key.toAddress(), file, sorted as never));
        expect(readInscription(envelopeFirst)).toStrictEqual({ contentType, content, map, pubKeyHash });
        const separated = bytesOf(applyInscription(scriptOf(p2pkhScript(pubKeyHash)), file, sorted as never, true));
        expect(readInscription(separated)).toStrictEqual({ contentType, content, map, pubKeyHash });
        // The lock moved to the front, as we write it.
        const at = Buffer.from(envelopeFirst).indexOf(Buffer.from(p2pkhScript(pubKeyHash)));
        const lockFirst = concatBytes(
          envelopeFirst.subarray(at, at + OWNER_BYTES),
          envelopeFirst.subarray(0, at),
          envelopeFirst.subarray(at + OWNER_BYTES),
        );
        expect(readInscription(lockFirst)).toStrictEqual({ contentType, content, map, pubKeyHash });
        expect(toHex(lockFirst)).toBe(toHex(ours));
      }),
      settings,
    );
  });
});
