import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  bumpOfPath,
  concatBytes,
  displayToHash,
  headerHash,
  merkleBranch,
  parseBump,
  pathInBump,
  readTscJson,
  serializeTx,
  type TscProof,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { phraseText } from '../../../contract/index.ts';
import type { ChainHeader, ProofInput, ProofRefusal, ProofVerifier, VerifiedProof } from '../../ports/headers.ts';
import { HeaderList, proofIn } from '../test-support/header-list.ts';
import { createProofVerifier } from './proof-verifier.ts';

const RUNS = process.env.PLANCHET_LONG ? 1_000_000 : 2_500;

let headers: HeaderList;
let verifier: ProofVerifier;
let block: ChainHeader;
const raw = (n: number): Uint8Array =>
  serializeTx({
    version: 1,
    inputs: [{ txid: 'cd'.repeat(32), vout: n, script: Uint8Array.of(0x51), sequence: 0 }],
    outputs: [{ satoshis: 1_000, script: new Uint8Array(25) } as never],
    lockTime: 0,
  });
const TXIDS = Array.from({ length: 11 }, (_, n) => txidOf(raw(n)));

beforeEach(() => {
  headers = new HeaderList();
  verifier = createProofVerifier(headers);
  headers.mine([TXIDS[0] as string]);
  headers.mine(TXIDS.slice(0, 3).toReversed());
  block = headers.mine(TXIDS);
  headers.mine(TXIDS.slice(4));
});

const tsc = (index: number, more: Partial<TscProof> = {}): TscProof => ({ ...proofIn(block, TXIDS, index), ...more });
const bumpOf = (index: number, height = 2): Uint8Array => bumpOfPath(height, readTscJson(tsc(index)).path);
const beefOf = (index: number, version = 1): Uint8Array =>
  concatBytes(
    Uint8Array.of(version, 0, 0xbe, 0xef, 1),
    bumpOf(index),
    Uint8Array.of(1),
    ...(version === 1 ? [raw(index), Uint8Array.of(1, 0)] : [Uint8Array.of(1, 0), raw(index)]),
  );
const tscBinaryOf = (index: number): Uint8Array =>
  concatBytes(
    Uint8Array.of(2, index),
    displayToHash(TXIDS[index] as string),
    block.header,
    Uint8Array.of(merkleBranch(TXIDS, index).length),
    ...merkleBranch(TXIDS, index).map((node) =>
      node === '*' ? Uint8Array.of(1) : concatBytes(Uint8Array.of(0), displayToHash(node)),
    ),
  );
/** Every form of the proof of one transaction. */
const forms = (index: number): ProofInput[] => [
  { kind: 'tsc', json: tsc(index) },
  { kind: 'tsc', json: tsc(index, { targetType: 'hash', target: block.hash }) },
  { kind: 'tsc', json: tsc(index, { targetType: 'merkleRoot', target: toHex(block.header.slice(36, 68).reverse()) }) },
  { kind: 'tsc', json: tsc(index, { txOrId: toHex(raw(index)) }) },
  { kind: 'tsc', json: { ...tsc(index), flags: 2, targetType: undefined, target: { hash: block.hash, height: 2 } } },
  { kind: 'tsc-binary', bytes: tscBinaryOf(index) },
  { kind: 'bump', bytes: bumpOf(index) },
  { kind: 'beef', bytes: beefOf(index) },
  { kind: 'beef', bytes: beefOf(index, 2) },
];

describe('a Merkle proof', () => {
  it('is verified in every form, and becomes one and the same BUMP', async () => {
    for (const [index, txid] of TXIDS.entries()) {
      for (const form of forms(index)) {
        const verified = (await verifier.verify(txid, form)) as VerifiedProof;
        expect(verified).toStrictEqual({
          blockHash: block.hash,
          height: 2,
          header: block.header,
          bump: bumpOf(index),
          index,
        });
        expect(pathInBump(parseBump(verified.bump), txid)?.index).toBe(index);
      }
    }
    expect(headers.refreshes).toBe(0);
  });

  it('of a block with one transaction is verified', async () => {
    const only = headers.at(0) as ChainHeader;
    const txid = TXIDS[0] as string;
    const verified = (await verifier.verify(txid, { kind: 'tsc', json: proofIn(only, [txid], 0) })) as VerifiedProof;
    expect(verified).toMatchObject({ blockHash: only.hash, height: 0, index: 0 });
    const again = await verifier.verify(txid, { kind: 'bump', bytes: verified.bump });
    expect(again).toStrictEqual(verified);
  });

  it('is refused with the reason', async () => {
    const txid = TXIDS[4] as string;
    const other = TXIDS[5] as string;
    const json = tsc(4);
    const unknown = 'ee'.repeat(32);
    const cases: [string, ProofRefusal['refused'], ProofInput][] = [
      [other, 'other-transaction', { kind: 'tsc', json }],
      [unknown, 'other-transaction', { kind: 'bump', bytes: bumpOf(4) }],
      [other, 'other-transaction', { kind: 'beef', bytes: beefOf(4) }],
      [txid, 'header-unknown', { kind: 'tsc', json: { ...json, targetType: 'hash', target: unknown } }],
      [txid, 'header-unknown', { kind: 'tsc', json: { ...json, target: toHex(block.header.with(0, 1)) } }],
      [txid, 'header-unknown', { kind: 'tsc', json: { ...json, targetType: 'merkleRoot', target: unknown } }],
      [txid, 'header-unknown', { kind: 'bump', bytes: bumpOf(4, 9) }],
      [txid, 'invalid', { kind: 'bump', bytes: bumpOf(4, 3) }],
      [txid, 'invalid', { kind: 'tsc', json: { ...json, targetType: 'hash', target: headers.at(1)?.hash } }],
      [txid, 'other-block', { kind: 'tsc', json: { ...json, nodes: json.nodes.with(0, unknown) } }],
      [txid, 'unsupported', { kind: 'tsc', json: { ...json, composite: true } }],
      [txid, 'unsupported', { kind: 'tsc-binary', bytes: tscBinaryOf(4).with(0, 0x0a) }],
      [txid, 'invalid', { kind: 'tsc', json: { ...json, index: 4 + 16 } }],
      [txid, 'malformed', { kind: 'tsc', json: 'proof' }],
      [txid, 'malformed', { kind: 'bump', bytes: bumpOf(4).subarray(1) }],
      [txid, 'malformed', { kind: 'beef', bytes: bumpOf(4) }],
      [txid, 'malformed', { kind: 'tsc', json: { ...json, txOrId: '00'.repeat(64) } }],
    ];
    for (const [of, refused, form] of cases) {
      const answer = await verifier.verify(of, form);
      expect(answer).toMatchObject({ refused });
      expect(phraseText((answer as ProofRefusal).reason)).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('in a BEEF whose transaction has the length of a node is refused', async () => {
    // a whole transaction of 64 bytes: as a pair of hashes it would prove whatever stands below it
    const short = serializeTx({
      version: 1,
      inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(2), sequence: 0 }],
      outputs: [{ satoshis: 1_000, script: new Uint8Array(2) } as never],
      lockTime: 0,
    });
    expect(short.length).toBe(64);
    const txid = txidOf(short);
    const mined = headers.mine([txid, ...TXIDS.slice(0, 2)]);
    const path = readTscJson(proofIn(mined, [txid, ...TXIDS.slice(0, 2)], 0)).path;
    const bump = bumpOfPath(mined.height, path);
    const bytes = concatBytes(Uint8Array.of(1, 0, 0xbe, 0xef, 1), bump, Uint8Array.of(1), short, Uint8Array.of(1, 0));
    expect(await verifier.verify(txid, { kind: 'beef', bytes })).toMatchObject({ refused: 'invalid' });
    // the txid alone says nothing of a length
    expect(await verifier.verify(txid, { kind: 'bump', bytes: bump })).toMatchObject({ blockHash: mined.hash });
  });

  it('in a BEEF that proves only what the transaction spends is refused', async () => {
    const txid = TXIDS[4] as string;
    const bytes = concatBytes(Uint8Array.of(1, 0, 0xbe, 0xef, 0, 1), raw(4), Uint8Array.of(0));
    expect(await verifier.verify(txid, { kind: 'beef', bytes })).toMatchObject({
      refused: 'invalid',
      reason: { key: expect.stringContaining('proves the inputs') },
    });
  });

  it('of an unknown block makes the node be asked for headers where the block should be', async () => {
    const refresh = vi.spyOn(headers, 'refresh');
    const json = tsc(4);
    const unknown = block.header.with(0, 1);
    const targets: [ProofInput, unknown][] = [
      [{ kind: 'bump', bytes: bumpOf(4, 9) }, 9],
      [{ kind: 'tsc', json: { ...json, targetType: 'hash', target: 'ee'.repeat(32) } }, 'ee'.repeat(32)],
      [{ kind: 'tsc', json: { ...json, target: toHex(unknown) } }, headerHash(unknown)],
      [{ kind: 'tsc', json: { ...json, targetType: 'merkleRoot', target: 'ee'.repeat(32) } }, undefined],
    ];
    for (const [form, place] of targets) {
      await verifier.verify(TXIDS[4] as string, form);
      expect(refresh.mock.lastCall).toEqual([place]);
    }
    const gone = new Error('no node answers');
    refresh.mockRejectedValue(gone);
    for (const [form] of targets) await expect(verifier.verify(TXIDS[4] as string, form)).rejects.toBe(gone);
  });

  it('that names a Merkle root is looked for in the blocks of a month, the first of all among them', async () => {
    const rootIn = (mined: ChainHeader, txids: readonly string[]): ProofInput => {
      const target = toHex(mined.header.slice(36, 68).reverse());
      return { kind: 'tsc', json: { ...proofIn(mined, txids, 0), targetType: 'merkleRoot', target } };
    };
    const first = TXIDS[0] as string;
    const form = rootIn(headers.at(0) as ChainHeader, [first]);
    expect(await verifier.verify(first, form)).toMatchObject({ height: 0 });
    while (headers.tip?.height !== 4_319) headers.mine([TXIDS[1] as string]);
    expect(await verifier.verify(first, form)).toMatchObject({ height: 0 });
    headers.mine([TXIDS[1] as string]);
    expect(await verifier.verify(first, form)).toMatchObject({ refused: 'header-unknown' });
    const empty = createProofVerifier(new HeaderList());
    expect(await empty.verify(first, form)).toMatchObject({ refused: 'header-unknown' });
  });

  it('of a block that left the chain is refused until the block returns', async () => {
    headers.unmine();
    headers.unmine();
    const form: ProofInput = { kind: 'tsc', json: tsc(4) };
    expect(await verifier.verify(TXIDS[4] as string, form)).toMatchObject({ refused: 'header-unknown' });
    expect(headers.refreshes).toBe(1);
    headers.mine(TXIDS);
    expect(await verifier.verify(TXIDS[4] as string, form)).toMatchObject({ height: 2 });
  });

  it('counts for nothing while no two operators agree on the newest block', async () => {
    const txids = [TXIDS[7] as string, TXIDS[6] as string];
    const { height } = headers.mine(txids);
    const path = { txid: txids[0] as string, index: 0, siblings: [displayToHash(txids[1] as string)] };
    const proof: ProofInput = { kind: 'bump', bytes: bumpOfPath(height, path) };
    const verifier = createProofVerifier(headers);
    headers.isAgreed = false;
    expect(await verifier.verify(path.txid, proof)).toMatchObject({ refused: 'header-unknown' });
    headers.isAgreed = true;
    expect(await verifier.verify(path.txid, proof)).toMatchObject({ height });
  });

  it('of a block that was mined a moment ago makes the node be asked for headers', async () => {
    const txids = [TXIDS[9] as string, TXIDS[8] as string];
    let late: ChainHeader | undefined;
    const later = createProofVerifier({
      header: (hash) => headers.header(hash),
      at: (height) => headers.at(height),
      tip: headers.tip,
      isActive: (hash) => headers.isActive(hash),
      isAgreed: true,
      onChange: (listener) => headers.onChange(listener),
      refresh: async () => {
        late = headers.mine(txids);
      },
    });
    const path = { txid: txids[0] as string, index: 0, siblings: [displayToHash(txids[1] as string)] };
    const verified = await later.verify(path.txid, { kind: 'bump', bytes: bumpOfPath(4, path) });
    expect(verified).toMatchObject({ height: 4, blockHash: late?.hash });
  });

  it(`that was altered is never accepted for what it does not show (${RUNS} times)`, async () => {
    let seed = 20_261_122;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const binary = TXIDS.flatMap((txid, index) =>
      forms(index).flatMap((form) => ('bytes' in form ? [{ txid, index, form }] : [])),
    );
    const json = TXIDS.flatMap((txid, index) =>
      forms(index).flatMap((form) => (form.kind === 'tsc' ? [{ txid, index, text: JSON.stringify(form.json) }] : [])),
    );
    let accepted = 0;
    for (let run = 0; run < RUNS; run++) {
      const change = (bytes: Uint8Array): Uint8Array => {
        const changed = Uint8Array.from(bytes);
        for (let edits = 1 + next(3); edits > 0; edits--) changed[next(changed.length)] = next(256);
        const cut = next(8);
        if (cut === 0) return changed.subarray(0, next(changed.length));
        return cut === 1 ? concatBytes(changed, changed.subarray(next(changed.length))) : changed;
      };
      let form: ProofInput;
      let wanted: string;
      if (run % 2 === 0) {
        const one = binary[next(binary.length)] as (typeof binary)[number];
        wanted = one.txid;
        form = { ...one.form, bytes: change(one.form.bytes) } as ProofInput;
      } else {
        const one = json[next(json.length)] as (typeof json)[number];
        wanted = one.txid;
        const text = new TextDecoder().decode(change(new TextEncoder().encode(one.text)));
        try {
          form = { kind: 'tsc', json: JSON.parse(text) };
        } catch {
          form = { kind: 'tsc', json: text };
        }
      }
      const txid = next(4) === 0 ? (TXIDS[next(TXIDS.length)] as string) : wanted;
      const answer = await verifier.verify(txid, form);
      if ('refused' in answer) continue;
      accepted += 1;
      const told = headers.at(answer.height);
      expect(told?.hash).toBe(answer.blockHash);
      expect(answer.height === 2 ? TXIDS[answer.index] : undefined).toBe(txid);
    }
    // an edit that changes nothing, or flags that mean nothing here
    expect(accepted).toBeLessThan(RUNS / 4);
  }, 600_000);
});
