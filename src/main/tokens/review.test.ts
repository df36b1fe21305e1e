import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  formatOutpoint,
  fromHex,
  p2pkhScript,
  parseTx,
  satoshis,
  serializeTx,
  type Tx,
  toHex,
} from '../../chain/index.ts';
import type { TokenRequest } from '../../contract/index.ts';
import { addressOf, hashOf } from '../../token/test-support/forge.ts';
import { keys } from '../../token/test-support/keys.ts';
import { digestOf } from '../transaction-jobs/review-parts.ts';
import type { Draft } from './build.ts';
import { feeFaults, isSameKind, type ReviewContext, reviewDraft } from './review.ts';
import { design, publicKey, RATE, TokenLedger } from './test-support/token-ledger.ts';

const bob = addressOf(keys.bob);
const carol = addressOf(keys.carol);
const caps = { maxFeeSatoshis: 100_000, maxFeeRate: 1_000 };

let draft: Draft;
let request: TokenRequest;
beforeAll(async () => {
  const ledger = new TokenLedger();
  const [token = ''] = await ledger.issued([600]);
  ledger.fund(50_000);
  request = {
    action: 'split',
    token,
    to: [
      { address: bob, satoshis: 350 },
      { address: carol, satoshis: 250 },
    ],
  };
  draft = await ledger.draft(request);
});

function contextOf(given: Draft, changes: Partial<ReviewContext> = {}): ReviewContext {
  return {
    network: 'test',
    rate: RATE,
    caps,
    publicKey: publicKey(),
    held: new Set(given.spent.map(formatOutpoint)),
    history: undefined,
    ...changes,
  };
}

/** The checks that fail. */
function failed(given: Draft = draft, changes: Partial<ReviewContext> = {}, asked = request): string[] {
  const review = reviewDraft(asked, given, contextOf(given, changes));
  const faults = review.checks.filter(({ passed }) => !passed).map(({ id }) => id);
  expect(review.ok).toBe(faults.length === 0);
  return faults;
}

/** The draft with its transaction changed, as a builder with a fault would make it. */
function changed(change: (tx: Tx) => Tx): Draft {
  const hex = toHex(serializeTx(change(parseTx(fromHex(draft.unsigned.hex)))));
  return { ...draft, unsigned: { ...draft.unsigned, hex } };
}

const outputsOf = (tx: Tx, change: (outputs: Tx['outputs'][number][]) => void): Tx => {
  const outputs = [...tx.outputs];
  change(outputs);
  return { ...tx, outputs };
};

describe('the review of a token transaction', () => {
  it('passes the requested transaction, and binds the approval to its bytes', () => {
    const review = reviewDraft(request, draft, contextOf(draft));
    expect(failed()).toEqual([]);
    expect(review.digest).toBe(digestOf(fromHex(draft.unsigned.hex)));
    expect(review).toMatchObject({ tokensIn: 600, tokensOut: 600, redeemed: 0, fee: draft.unsigned.fee });
    expect(review.outputs.map(({ kind }) => kind)).toEqual(['token', 'token', 'change']);
  });

  it.each<[string, (tx: Tx) => Tx, string[]]>([
    ['another version', (tx) => ({ ...tx, version: 2 }), ['version']],
    [
      'another owner',
      (tx) => outputsOf(tx, (list) => list.splice(0, 1, { ...list[0], script: list[1]?.script } as never)),
      ['outputs'],
    ],
    [
      'outputs in another order',
      (tx) => outputsOf(tx, (list) => list.splice(0, 2, ...list.slice(0, 2).reverse())),
      ['outputs'],
    ],
    [
      'a token turned into money',
      (tx) =>
        outputsOf(tx, (list) => {
          list[0] = { satoshis: satoshis(350), script: p2pkhScript(hashOf(keys.bob)) };
        }),
      ['outputs', 'supply'],
    ],
    [
      'change that goes to somebody else',
      (tx) =>
        outputsOf(tx, (list) => {
          list[2] = { satoshis: satoshis(list[2]?.satoshis ?? 0), script: p2pkhScript(hashOf(keys.mallory)) };
        }),
      ['change'],
    ],
    [
      'one output more',
      (tx) =>
        outputsOf(tx, (list) => {
          const left = list[2]?.satoshis ?? 0;
          list[2] = { satoshis: satoshis(left - 1_000), script: p2pkhScript(hashOf(keys.issuer)) };
          list.push({ satoshis: satoshis(1_000), script: p2pkhScript(hashOf(keys.mallory)) });
        }),
      ['change'],
    ],
    [
      'a fee above the price',
      (tx) => outputsOf(tx, (list) => list.splice(2, 1, { ...list[2], satoshis: satoshis(1_000) } as never)),
      ['fee-maximum', 'fee-limit'],
    ],
    [
      'a fee below the price',
      (tx) =>
        outputsOf(tx, (list) =>
          list.splice(2, 1, { ...list[2], satoshis: satoshis((list[2]?.satoshis ?? 0) + 20) } as never),
        ),
      ['fee-minimum'],
    ],
    ['inputs in another order', (tx) => ({ ...tx, inputs: [...tx.inputs].reverse() }), ['inputs']],
    ['an input twice', (tx) => ({ ...tx, inputs: [tx.inputs[0], tx.inputs[0]] as Tx['inputs'] }), ['inputs']],
  ])('refuses %s', (_what, change, checks) => {
    expect(failed(changed(change))).toEqual(checks);
  });

  it('refuses inputs that are not held or not genuine, and fees above the settings', () => {
    expect(failed(draft, { held: new Set() })).toEqual(['inputs']);
    expect(failed(draft, { history: { key: 'The step is forged.', values: {} } })).toEqual(['history']);
    expect(failed(draft, { caps: { maxFeeSatoshis: 1, maxFeeRate: 1_000 } })).toEqual(['fee-limit']);
    expect(failed(draft, { rate: { satoshis: 2_000, bytes: 1_000 } })).toEqual(['fee-minimum', 'fee-limit']);
  });

  it('refuses a transaction that answers another request', () => {
    const other: TokenRequest = { action: 'transfer', token: (request as { token: string }).token, to: bob };
    expect(failed(draft, {}, other)).toEqual(['outputs', 'change']);
  });

  it('refuses a contract whose schema or supply is another one', async () => {
    const ledger = new TokenLedger();
    ledger.fund(50_000);
    const asked: TokenRequest = { action: 'contract', schema: design(1_000) };
    const contract = await ledger.draft(asked);
    expect(failed(contract, {}, asked)).toEqual([]);
    expect(failed(contract, {}, { action: 'contract', schema: { ...design(1_000), name: 'Tea' } })).toEqual([
      'outputs',
    ]);
    expect(failed(contract, {}, { action: 'contract', schema: design(999) })).toEqual(['outputs', 'supply']);
  });

  it('notices any changed byte of an output that was asked for', () => {
    const { outputs } = parseTx(fromHex(draft.unsigned.hex));
    fc.assert(
      fc.property(fc.nat(1), fc.nat(), fc.integer({ min: 1, max: 255 }), (index, at, flip) => {
        const given = changed((tx) =>
          outputsOf(tx, (list) => {
            const script = Uint8Array.from(outputs[index]?.script ?? []);
            const place = at % script.length;
            script[place] = (script[place] as number) ^ flip;
            list[index] = { satoshis: satoshis(outputs[index]?.satoshis ?? 0), script };
          }),
        );
        expect(failed(given)).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the caps on a fee', () => {
  it('report a fee or a rate above them', () => {
    expect(feeFaults({ fee: 500, size: 500 }, caps)).toEqual([]);
    expect(feeFaults({ fee: 501, size: 500 }, caps)).toHaveLength(1);
    expect(feeFaults({ fee: 100_001, size: 500 }, caps)).toHaveLength(2);
  });
});

describe('the kind of a token', () => {
  it('is never the same for two outputs without a token', () => {
    expect(isSameKind(undefined, undefined)).toBe(false);
  });
});
