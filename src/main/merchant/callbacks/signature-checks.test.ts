import { PrivateKey } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { isValidSignature, signatureOf, signEnvelope, toHex, type UncheckedSignature } from '../../../chain/index.ts';
import { SignatureChecks } from './signature-checks.ts';

const key = PrivateKey.fromHex('55'.repeat(32));
const signatures = Array.from(
  { length: 40 },
  (_, n) => signatureOf(signEnvelope(`{"n":${n}}`, key)) as UncheckedSignature,
);
const wrong = (n: number): UncheckedSignature => ({
  ...(signatures[n] as UncheckedSignature),
  digest: new Uint8Array(32).fill(n),
});

/** Signatures that were given to threads, by the groups they came in. */
function checks(): { checks: SignatureChecks; groups: number[] } {
  const groups: number[] = [];
  const inThreads = async (some: readonly UncheckedSignature[]): Promise<boolean[]> => {
    groups.push(some.length);
    return some.map(isValidSignature);
  };
  return { checks: new SignatureChecks(inThreads), groups };
}

describe('signatures of messages', () => {
  it('are checked together by threads where many come at once, each for itself', async () => {
    const { checks: many, groups } = checks();
    const given = signatures.map((one, n) => (n % 5 === 2 ? wrong(n) : one));
    expect(await Promise.all(given.map((one) => many.isValid(one)))).toEqual(given.map((_, n) => n % 5 !== 2));
    expect(groups).toEqual([40]);
  });

  it('are checked at once where few come', async () => {
    const { checks: few, groups } = checks();
    const given = [signatures[0] as UncheckedSignature, wrong(1)];
    expect(await Promise.all(given.map((one) => few.isValid(one)))).toEqual([true, false]);
    expect(groups).toEqual([]);
  });

  it('are invalid where the key is malformed, and one with an uncompressed key needs no thread', async () => {
    const { checks: some, groups } = checks();
    const [one] = signatures as [UncheckedSignature];
    const uncompressed = Uint8Array.from(key.toPublicKey().encode(false) as number[]);
    const keys = [uncompressed, new Uint8Array(), new Uint8Array(33), Uint8Array.of(2), uncompressed.subarray(1)];
    const verdicts = await Promise.all(keys.map((publicKey) => some.isValid({ ...one, publicKey })));
    expect(verdicts, keys.map(toHex).join()).toEqual([true, false, false, false, false]);
    expect(groups).toEqual([]);
  });

  it('fail where the threads end, and the next group is checked again', async () => {
    let ended = false;
    const stopping = new SignatureChecks(async (some) => {
      if (!ended) {
        ended = true;
        throw new Error('the threads ended');
      }
      return some.map(isValidSignature);
    });
    const results = await Promise.allSettled(signatures.map((one) => stopping.isValid(one)));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(await Promise.all(signatures.map((one) => stopping.isValid(one)))).toEqual(signatures.map(() => true));
  });
});
