import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeAddress, fromHex, sha256, toHex } from '../../../chain/index.ts';
import { itemMetadataSchema } from '../../../contract/index.ts';
import { checkedMetadata, protocolMetadata } from '../projects/metadata.ts';
import { OTHER_ADDRESS } from '../test-support/file-wallet.ts';
import { changed, facts, honest, request } from '../test-support/review-fixture.ts';
import { reviewTransaction } from './review.ts';

const failedIds = (txObj: unknown, req = request(), known = facts) =>
  reviewTransaction(req, txObj, known)
    .checks.filter(({ passed }) => !passed)
    .map(({ id }) => id);

describe('reviewTransaction, for any input', () => {
  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(reviewTransaction(request(), value, facts).ok).toBe(false);
      }),
    );
  });

  it('finds any single byte changed in any output script', () => {
    const original = honest();
    const property = fc.property(fc.nat(2), fc.nat(), fc.integer({ min: 1, max: 255 }), (index, at, flip) => {
      const txObj = changed((t) => {
        const output = t.outputs[index] as { script: string };
        const script = fromHex(output.script);
        const place = at % script.length;
        script[place] = (script[place] as number) ^ flip;
        output.script = toHex(script);
      });
      expect(reviewTransaction(request(), txObj, facts).ok).toBe(false);
    });
    expect(reviewTransaction(request(), original, facts).ok).toBe(true);
    fc.assert(property, { numRuns: 300 });
  });

  it('passes whatever content type and metadata were asked for, as they come back', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((s) => s.trim() !== '' && !s.includes('\0'));
    const property = fc.property(
      text,
      fc.string({ unit: 'grapheme', maxLength: 60 }).filter((s) => !s.includes('\0')),
      fc.uniqueArray(fc.record({ name: text, value: text }), { selector: (trait) => trait.name.trim(), maxLength: 5 }),
      fc.uint8Array({ maxLength: 300 }),
      (name, description, traits, content) => {
        const parsed = itemMetadataSchema.safeParse({ name, description, traits });
        fc.pre(parsed.success && !traits.some((trait) => trait.name.trim() === '__proto__'));
        const map = protocolMetadata(checkedMetadata(parsed.data), 'single');
        const items = [
          {
            itemId: 'i',
            sha256: toHex(sha256(content)),
            bytes: content.length,
            contentType: 'text/plain;charset=utf-8',
            metadata: map,
          },
        ];
        // The way there and back through JSON, as the service's answer comes.
        const txObj: unknown = JSON.parse(
          JSON.stringify(
            honest((p) => {
              p.tokens = [
                {
                  contentType: 'text/plain;charset=utf-8',
                  content,
                  map,
                  pubKeyHash: decodeAddress(OTHER_ADDRESS).pubKeyHash,
                },
              ];
            }),
          ),
        );
        expect(failedIds(txObj, request({ items }))).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: 100 });
  });
});
