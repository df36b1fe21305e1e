import { readdirSync, readFileSync } from 'node:fs';
import { Beef as SdkBeef, MerklePath as SdkPath, Transaction as SdkTransaction } from '@bsv/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bumpOfPath,
  ChainError,
  checkPath,
  concatBytes,
  displayToHash,
  fromHex,
  hashToDisplay,
  levelsOfPath,
  type MerklePath,
  merkleBranch,
  merkleRoot,
  parseBeef,
  parseBump,
  parseHeader,
  parseTscBinary,
  pathInBump,
  readTscJson,
  serializeTx,
  sha256d,
  type TscProof,
  toHex,
  tscNodes,
  txidOf,
} from '../index.ts';
import { anyTx, hashHex, readVectors } from '../test-support/fixtures.ts';
import { isTransactionOfNodeLength } from './node-transaction.ts';

interface TscCase {
  name: string;
  calls: {
    proof: TscProof;
    headers?: Record<string, string>;
    expect?: 'throws' | 'no-throw' | { isLastInTree: boolean; proofValid: boolean };
    expectNot?: { isLastInTree: boolean; proofValid: boolean };
  }[];
}

const oldForm = readVectors<{ txOrId: string; target: { merkleroot: string; hash: string } }>('tsc-old-format.json');
const publicProofs = readVectors<TscProof[]>('tsc-proofs.json');
const standardCases = readVectors<TscCase[]>('tsc-tests.json');

/** The SDK's own vectors of BRC-74; its package carries them as source files. */
const sdkTests = new URL('../../../node_modules/@bsv/sdk/src/transaction/__tests/', import.meta.url);
const bumpVectors = (name: string): string[] =>
  [...readFileSync(new URL(name, sdkTests), 'utf8').matchAll(/bump: '([0-9a-f]+)'/g)].map(([, hex]) => hex as string);

const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof ChainError) return error.code;
    throw error;
  }
  return 'accepted';
};
const pathOf = (txids: readonly string[], index: number): MerklePath => ({
  txid: txids[index] as string,
  index,
  siblings: merkleBranch(txids, index).map((node) => (node === '*' ? null : displayToHash(node))),
});
const blockTxids = fc.uniqueArray(hashHex, { minLength: 1, maxLength: 40 });

describe('TSC proofs', () => {
  it('of the standard yield the root of their block in every JSON form', () => {
    for (const proof of [...publicProofs, oldForm]) {
      const { path } = readTscJson(proof);
      expect(checkPath(path).root).toBe(oldForm.target.merkleroot);
      expect(path.txid).toBe(oldForm.txOrId);
    }
    expect(readTscJson(oldForm).target).toStrictEqual({ kind: 'hash', hash: oldForm.target.hash });
    expect(publicProofs.map((proof) => readTscJson(proof).target.kind)).toContain('root');
  });

  it.each(standardCases)('are accepted or refused as in the standard: $name', ({ calls }) => {
    for (const { proof, headers, expect: wanted, expectNot } of calls) {
      const header = proof.targetType === 'header' ? proof.target : headers?.[proof.target];
      const root = header === undefined ? proof.target : parseHeader(fromHex(header)).merkleRoot;
      let holds: boolean | string;
      try {
        holds = checkPath(readTscJson(proof).path).root === root;
      } catch (error) {
        holds = (error as ChainError).code;
      }
      if (wanted === 'throws') expect(String(holds)).toMatch(/^(proof|merkle)-/);
      else if (wanted === 'no-throw') expect(String(holds)).not.toMatch(/^proof-/);
      else if (wanted?.proofValid ?? !expectNot?.proofValid) expect(holds).toBe(true);
      else expect(holds).not.toBe(true);
    }
  });

  it('are the same in binary and JSON', () => {
    fc.assert(
      fc.property(blockTxids, fc.nat(), fc.constantFrom('hash', 'header', 'merkleRoot'), (txids, at, targetType) => {
        const index = at % txids.length;
        const target = 'ab'.repeat(targetType === 'header' ? 80 : 32);
        const proof = {
          index,
          txOrId: txids[index],
          targetType,
          target,
          nodes: merkleBranch(txids, index),
        } as TscProof;
        expect(parseTscBinary(tscBinary(proof))).toStrictEqual(readTscJson(proof));
      }),
      { numRuns: 100 },
    );
  });

  it('may contain the complete transaction', () => {
    fc.assert(
      fc.property(anyTx, (tx) => {
        const raw = serializeTx(tx);
        const proof: TscProof = {
          index: 0,
          txOrId: toHex(raw),
          targetType: 'hash',
          target: 'ab'.repeat(32),
          nodes: [],
        };
        if (raw.length <= 32 || raw.length === 64) return;
        expect(readTscJson(proof).path.txid).toBe(txidOf(raw));
        expect(parseTscBinary(tscBinary(proof))).toStrictEqual(readTscJson(proof));
      }),
      { numRuns: 50 },
    );
  });

  it('of the types composite and tree are refused as unsupported', () => {
    const proof = publicProofs[0] as TscProof;
    const bytes = tscBinary({ ...proof, targetType: 'hash' });
    expect(code(() => readTscJson({ ...proof, composite: true }))).toBe('proof-unsupported');
    expect(code(() => readTscJson({ ...proof, proofType: 'tree' }))).toBe('proof-unsupported');
    for (const flag of [0x08, 0x10]) {
      expect(code(() => parseTscBinary(bytes.with(0, flag)))).toBe('proof-unsupported');
      expect(code(() => readTscJson({ ...oldForm, flags: flag | 2 }))).toBe('proof-unsupported');
    }
    expect(code(() => parseTscBinary(bytes.with(0, 0x06)))).toBe('proof-malformed');
    expect(code(() => parseTscBinary(bytes.with(0, 0x20)))).toBe('proof-malformed');
  });

  it('that are truncated or have trailing bytes are refused', () => {
    const bytes = tscBinary({ ...(publicProofs[4] as TscProof) });
    expect(code(() => parseTscBinary(bytes))).toBe('accepted');
    for (let end = 0; end < bytes.length; end++)
      expect(code(() => parseTscBinary(bytes.subarray(0, end)))).toBe('proof-malformed');
    expect(code(() => parseTscBinary(concatBytes(bytes, Uint8Array.of(0))))).toBe('proof-malformed');
    for (const json of [null, [], 'x', 5, {}, { ...oldForm, target: null }, { ...oldForm, target: {} }])
      expect(code(() => readTscJson(json))).toBe('proof-malformed');
  });
});

describe('Merkle paths', () => {
  const leaf = (n: number): string => n.toString(16).padStart(64, '0');

  it('lead from every transaction of any block to its root, level by level', () => {
    fc.assert(
      fc.property(blockTxids, (txids) => {
        for (const [index, txid] of txids.entries()) {
          const path = pathOf(txids, index);
          expect(checkPath(path).root).toBe(merkleRoot(txids));
          const levels = levelsOfPath(path);
          expect(levels.map(({ duplicate }) => duplicate)).toEqual(path.siblings.map((sibling) => sibling === null));
          if (levels.length > 0) expect(levels[0]?.hash).toBe(txid);
          for (const [at, { hash, sibling, siblingSide, duplicate }] of levels.entries()) {
            expect(duplicate).toBe(hash === sibling);
            const pair = siblingSide === 'right' ? [hash, sibling] : [sibling, hash];
            const above = hashToDisplay(sha256d(concatBytes(...pair.map(displayToHash))));
            expect(above).toBe(levels[at + 1]?.hash ?? merkleRoot(txids));
          }
          expect(tscNodes(path)).toEqual(merkleBranch(txids, index));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('never prove a transaction at a second index (CVE-2012-2459)', () => {
    for (const count of [1, 3, 5, 6, 7, 11]) {
      const txids = Array.from({ length: count }, (_, n) => leaf(n + 1));
      const size = 2 ** Math.ceil(Math.log2(count));
      // every list with the same root: the end repeated as the tree itself repeats it
      for (let width = 1; width < size; width *= 2) {
        const end = Math.ceil(count / width) * width;
        if ((end / width) % 2 === 0 || count % width !== 0) continue;
        const doubled = [...txids, ...txids.slice(end - width)];
        expect(merkleRoot(doubled)).toBe(merkleRoot(txids));
        for (let index = count; index < doubled.length; index++)
          expect(code(() => checkPath(pathOf(doubled, index)).root)).toBe('merkle-invalid');
      }
    }
  });

  it('may spell out a repeated hash, with the same result', () => {
    const txids = [leaf(1), leaf(2), leaf(3)];
    const path = pathOf(txids, 2);
    const written = { ...path, siblings: [displayToHash(leaf(3)), ...path.siblings.slice(1)] };
    expect(checkPath(written).root).toBe(merkleRoot(txids));
    expect(bumpOfPath(5, written)).toStrictEqual(bumpOfPath(5, path));
    expect(levelsOfPath(written)).toStrictEqual(levelsOfPath(path));
  });

  it('are at most as long as the tree of the largest block is high', () => {
    const long = (length: number): MerklePath => ({
      txid: leaf(1),
      index: 0,
      siblings: Array.from({ length }, (_, n) => displayToHash(leaf(n + 2))),
    });
    expect(checkPath(long(32)).siblings).toHaveLength(32);
    expect(code(() => checkPath(long(33)))).toBe('merkle-invalid');
  });

  it('have an index within the tree of their length', () => {
    const path = pathOf([leaf(1), leaf(2), leaf(3), leaf(4)], 1);
    for (const index of [-1, 0.5, 4, 5, 2 ** 32 + 1, 2 ** 60, Number.NaN])
      expect(code(() => checkPath({ ...path, index }).root)).toBe('merkle-invalid');
    const siblings = Array.from({ length: 33 }, (_, n) => displayToHash(leaf(n + 5)));
    expect(code(() => checkPath({ ...path, siblings }).root)).toBe('merkle-invalid');
  });

  it('contain no node that is a transaction of 64 bytes', () => {
    // a mined transaction whose last half is the txid of one that does not exist
    const forged = sha256d(Uint8Array.of(1, 2, 3));
    for (const split of [0, 1, 2, 3, 4]) {
      const tx = serializeTx({
        version: 1,
        inputs: [{ txid: leaf(7), vout: 0, script: new Uint8Array(split), sequence: 0xffffffff }],
        outputs: [{ satoshis: 1, script: new Uint8Array(4 - split) } as never],
        lockTime: 0,
      });
      expect(tx.length).toBe(64);
      expect(isTransactionOfNodeLength(tx)).toBe(true);
      const changed = (at: number, value: number): boolean => isTransactionOfNodeLength(tx.with(at, value));
      const outputs = 41 + 1 + split + 4;
      // two hashes that only resemble one are a node: another count of inputs or outputs, length, or an amount of more than all coins
      expect([changed(4, 2), changed(41, 5), changed(outputs, 2), changed(outputs + 9, 5 - split)]).not.toContain(true);
      expect([changed(outputs + 8, 1), changed(outputs + 7, 8), changed(outputs + 7, 7)]).toEqual([false, false, true]);
      expect(isTransactionOfNodeLength(concatBytes(tx, Uint8Array.of(0)))).toBe(false);
      const path = { txid: hashToDisplay(tx.subarray(32)), index: 1, siblings: [tx.slice(0, 32), forged] };
      expect(code(() => checkPath(path).root)).toBe('merkle-invalid');
    }
    expect(isTransactionOfNodeLength(new Uint8Array(63))).toBe(false);
  });
});

describe('BUMP', () => {
  it('accepts the valid vectors and refuses the invalid ones', () => {
    expect(readdirSync(sdkTests)).toContain('bump.valid.vectors.ts');
    const valid = bumpVectors('bump.valid.vectors.ts');
    const invalid = bumpVectors('bump.invalid.vectors.ts');
    expect([valid.length, invalid.length]).toEqual([2, 6]);
    for (const hex of valid) {
      const bump = parseBump(fromHex(hex));
      const sdk = SdkPath.fromHex(hex);
      expect(bump.height).toBe(sdk.blockHeight);
      expect(bump.root).toBe(sdk.computeRoot());
    }
    for (const hex of invalid)
      expect(code(() => parseBump(fromHex(hex)))).toMatch(/^(proof-malformed|merkle-invalid)$/);
  });

  it('round-trips the path of every transaction, as another implementation reads it', () => {
    fc.assert(
      fc.property(blockTxids, fc.nat(), fc.nat({ max: 2_000_000 }), (txids, at, height) => {
        const path = pathOf(txids, at % txids.length);
        const bytes = bumpOfPath(height, path);
        const bump = parseBump(bytes);
        expect(bump.height).toBe(height);
        expect(bump.root).toBe(merkleRoot(txids));
        expect(pathInBump(bump, path.txid)).toStrictEqual(path);
        expect(pathInBump(bump, 'ff'.repeat(32))).toBeUndefined();
        if (txids.length > 1) expect(SdkPath.fromBinary([...bytes]).computeRoot(path.txid)).toBe(bump.root);
      }),
      { numRuns: 100 },
    );
  });

  it('reads paths that another implementation combined', () => {
    fc.assert(
      fc.property(fc.uniqueArray(hashHex, { minLength: 2, maxLength: 40 }), fc.nat(), fc.nat(), (txids, a, b) => {
        const [one, other] = [pathOf(txids, a % txids.length), pathOf(txids, b % txids.length)];
        const both = SdkPath.fromBinary([...bumpOfPath(9, one)]);
        both.combine(SdkPath.fromBinary([...bumpOfPath(9, other)]));
        const bump = parseBump(Uint8Array.from(both.toBinary()));
        expect(bump.root).toBe(merkleRoot(txids));
        for (const path of [one, other]) expect(pathInBump(bump, path.txid)).toStrictEqual(path);
      }),
      { numRuns: 100 },
    );
  });

  it('is refused if it is cut short', () => {
    const bytes = fromHex(bumpVectors('bump.valid.vectors.ts')[0] as string);
    for (let end = 0; end < bytes.length; end++)
      expect(code(() => parseBump(bytes.subarray(0, end)))).toBe('proof-malformed');
    expect(code(() => parseBump(concatBytes(bytes, Uint8Array.of(0))))).toBe('proof-malformed');
  });
});

describe('BEEF', () => {
  const tx = (n: number): SdkTransaction => {
    const raw = serializeTx({
      version: 1,
      inputs: [{ txid: 'ab'.repeat(32), vout: n, script: Uint8Array.of(0x51), sequence: 0 }],
      outputs: [{ satoshis: 1_000, script: new Uint8Array(25) } as never],
      lockTime: 0,
    });
    return SdkTransaction.fromBinary([...raw]);
  };

  it.each([4022206465, 4022206466])('of version %i is read as another implementation wrote it', (version) => {
    const [proven, child] = [tx(1), tx(2)];
    const txids = ['11'.repeat(32), proven.id('hex'), '22'.repeat(32)];
    const beef = new SdkBeef(version);
    beef.mergeBump(SdkPath.fromBinary([...bumpOfPath(77, pathOf(txids, 1))]));
    beef.mergeTransaction(proven);
    beef.mergeTransaction(child);
    const bytes = Uint8Array.from(beef.toBinary());
    const read = parseBeef(bytes);
    expect(read.subject).toBeUndefined();
    const found = read.transactions.find(({ txid }) => txid === proven.id('hex'));
    expect(found?.bump?.height).toBe(77);
    expect(found?.raw && toHex(found.raw)).toBe(proven.toHex());
    expect(found?.bump?.root).toBe(merkleRoot(txids));
    expect(read.transactions.find(({ txid }) => txid === child.id('hex'))?.bump).toBeNull();
    const atomic = concatBytes(fromHex('01010101'), displayToHash(child.id('hex')), bytes);
    expect(parseBeef(atomic)).toStrictEqual({ ...read, subject: child.id('hex') });
    for (let end = 0; end < bytes.length; end++)
      expect(code(() => parseBeef(bytes.subarray(0, end)))).toMatch(/^(proof|tx)-malformed$/);
  });

  it('with an unknown prefix, a missing path or an unknown format is refused', () => {
    expect(code(() => parseBeef(fromHex('0300beef0000')))).toBe('proof-malformed');
    expect(code(() => parseBeef(fromHex(`0200beef0001ff${'00'.repeat(32)}`)))).toBe('proof-malformed');
    const raw = tx(1).toHex();
    expect(code(() => parseBeef(fromHex(`0100beef0001${raw}0105`)))).toBe('proof-malformed');
    expect(code(() => parseBeef(fromHex(`0100beef0001${raw}02`)))).toBe('proof-malformed');
  });
});

/** The binary form of the standard. */
function tscBinary({ index, txOrId, targetType = 'hash', target, nodes }: TscProof): Uint8Array {
  const isTx = txOrId.length > 64;
  const flag = { hash: 0, header: 2, merkleRoot: 4, merkleroot: 4 }[targetType];
  const varint = (n: number): Uint8Array => (n < 0xfd ? Uint8Array.of(n) : Uint8Array.of(0xfd, n & 0xff, n >> 8));
  return concatBytes(
    Uint8Array.of(flag | (isTx ? 1 : 0)),
    varint(index),
    ...(isTx ? [varint(txOrId.length / 2), fromHex(txOrId)] : [displayToHash(txOrId)]),
    targetType === 'header' ? fromHex(target) : displayToHash(target),
    varint(nodes.length),
    ...nodes.flatMap((node) => (node === '*' ? [Uint8Array.of(1)] : [Uint8Array.of(0), displayToHash(node)])),
  );
}
