import { describe, expect, it } from 'vitest';
import {
  encodeAddress,
  type FundingUtxo,
  leastChangeAt,
  p2pkhScript,
  parseTx,
  satoshis,
  serializeTx,
  type Tx,
  type Utxo,
} from '../../../chain/index.ts';
import type { WalletSendRequest } from '../../../contract/index.ts';
import { digestOf } from '../../transaction-jobs/review-parts.ts';
import { buildPayment } from './send-draft.ts';
import { reviewPayment, type SendReviewContext } from './send-review.ts';

const script = (n: number): Uint8Array => p2pkhScript(new Uint8Array(20).fill(n));
const address = (n: number): string => encodeAddress(new Uint8Array(20).fill(n), 'test');
const coin = (vout: number, value: number): FundingUtxo =>
  ({ txid: 'bb'.repeat(32), vout, satoshis: satoshis(value), lockingScript: script(1) }) as FundingUtxo;
const nameOf = ({ txid, vout }: Utxo): string => `${txid}_${vout}`;

const rate = { satoshis: 50, bytes: 1_000 };
const caps = { maxFeeSatoshis: 1_000, maxFeeRate: 100 };
const held = [coin(0, 10_000), coin(1, 20_000)];
const token: Utxo = { txid: 'aa'.repeat(32), vout: 3, satoshis: satoshis(5), lockingScript: script(1) };
const request: WalletSendRequest = {
  to: [
    { address: address(2), satoshis: 4_000 },
    { address: address(3), satoshis: 5_000 },
  ],
};
const context: SendReviewContext = {
  network: 'sandbox',
  rate,
  source: undefined,
  caps,
  changeScript: script(1),
  held,
};
const built = (of = request, coins: readonly Utxo[] = held): Tx => parseTx(buildPayment(of, coins, script(1), rate));

function review(tx: Tx, of = request, around = context) {
  const { checks, ...rest } = reviewPayment(of, serializeTx(tx), around);
  const failed = checks.filter(({ passed }) => !passed);
  return {
    ...rest,
    checks,
    failed: failed.map(({ id }) => id),
    why: failed.flatMap(({ sentences }) => sentences ?? []),
  };
}

const output = (tx: Tx, at: number, change: Partial<Tx['outputs'][number]>): Tx => ({
  ...tx,
  outputs: tx.outputs.map((one, index) => (index === at ? { ...one, ...change } : one)),
});
const input = (tx: Tx, at: number, change: Partial<Tx['inputs'][number]>): Tx => ({
  ...tx,
  inputs: tx.inputs.map((one, index) => (index === at ? { ...one, ...change } : one)),
});
/** Moves satoshis from the change to the fee. */
const paying = (tx: Tx, more: number): Tx => {
  const change = tx.outputs.at(-1) as Tx['outputs'][number];
  return output(tx, tx.outputs.length - 1, { satoshis: satoshis(change.satoshis - more) });
};

describe('the review of a payment', () => {
  it('tells its inputs, its outputs and its fee, by its bytes', () => {
    const tx = built();
    const found = review(tx);
    expect(found).toMatchObject({ ok: true, failed: [], digest: digestOf(serializeTx(tx)), destination: address(2) });
    expect(found.fee).toBe(30_000 - tx.outputs.reduce((sum, { satoshis: value }) => sum + value, 0));
    expect(found.inputs).toEqual(
      held.map((one) => ({ txid: one.txid, vout: one.vout, satoshis: one.satoshis, address: address(1) })),
    );
    expect(found.outputs.map(({ kind, address: to, satoshis: value }) => [kind, to, value])).toEqual([
      ['payment', address(2), 4_000],
      ['payment', address(3), 5_000],
      ['change', address(1), 21_000 - found.fee],
    ]);
    expect(found.checks.map(({ id }) => id)).toEqual([
      'form',
      'inputs',
      'outputs',
      'change',
      'fee-minimum',
      'fee-maximum',
      'fee-limit',
    ]);
    expect(found).not.toHaveProperty('quote');
    expect(found.checks.map(({ sentences }) => sentences?.[0]?.key)).toMatchObject([
      'review.form.plain',
      'review.inputs.own-coins',
      'review.outputs.payments',
      'review.change.rest',
      'review.fee-minimum.pays',
      'review.fee-maximum.exact',
      'review.fee-limit.both',
    ]);
  });

  it.each<[string, (tx: Tx) => Tx, string[], string?]>([
    ['another version', (tx) => ({ ...tx, version: 2 }), ['form']],
    ['a lock time', (tx) => ({ ...tx, lockTime: 1 }), ['form']],
    ['an input that is not final', (tx) => input(tx, 1, { sequence: 0 }), ['form']],
    ['an input that is signed', (tx) => input(tx, 1, { script: Uint8Array.of(0x51) }), ['form']],
    ['a coin that is not held', (tx) => input(tx, 1, { vout: 9 }), ['inputs', 'fee-minimum']],
    ['another address', (tx) => output(tx, 1, { script: script(9) }), ['outputs']],
    ['another amount', (tx) => output(tx, 0, { satoshis: satoshis(3_999) }), ['outputs']],
    ['change elsewhere', (tx) => output(tx, 2, { script: script(9) }), ['change']],
    [
      'an output more',
      (tx) => ({ ...tx, outputs: [...tx.outputs, { satoshis: satoshis(0), script: script(1) }] }),
      ['change', 'fee-minimum'],
    ],
    ['a satoshi too little for the miner', (tx) => paying(tx, -1), ['fee-minimum']],
    ['too much for the miner', (tx) => paying(tx, leastChangeAt(rate) + 2), ['fee-maximum', 'fee-limit']],
  ])('refuses %s', (_, change, failed) => {
    const found = review(change(built()));
    expect(found.failed).toEqual(expect.arrayContaining(failed.slice(0, 1)));
    expect(found.failed.filter((id) => !failed.includes(id))).toEqual([]);
    expect(found.ok).toBe(false);
  });

  it('refuses a coin that stands twice, and a payment that lacks an output', () => {
    const tx = built();
    const twice = { ...tx, inputs: [tx.inputs[0], tx.inputs[0]] as Tx['inputs'] };
    expect(review(twice).why).toContainEqual(expect.objectContaining({ key: 'review.inputs.coin-twice' }));
    expect(review({ ...tx, outputs: tx.outputs.slice(0, 1) }).failed).toContain('outputs');
  });

  it('lets the fee be as high as change that was not worth an output, and not higher', () => {
    const most = leastChangeAt(rate) + 1;
    const wide = { ...context, caps: { maxFeeSatoshis: 100_000, maxFeeRate: 100_000 } };
    expect(review(paying(built(), most), request, wide).failed).toEqual([]);
    expect(review(paying(built(), most + 1), request, wide).failed).toEqual(['fee-maximum']);
  });

  it('holds the fee to both limits of the settings, and the rate to one even where little is paid', () => {
    const { fee } = review(built());
    const limited = (maxFeeSatoshis: number, maxFeeRate: number) =>
      review(built(), request, { ...context, caps: { maxFeeSatoshis, maxFeeRate } });
    expect(limited(fee, 100).failed).toEqual([]);
    expect(limited(fee - 1, 100).why).toMatchObject([
      { key: 'review.fee-limit.above', values: { fee, limit: fee - 1 } },
    ]);
    expect(limited(fee, 50).failed).toEqual([]);
    expect(limited(fee, 49).why).toMatchObject([{ key: 'review.fee-limit.rate', values: { rate: 49 } }]);
    const dear = paying(built(), 40);
    const cheap = { ...context, caps: { maxFeeSatoshis: 1_000, maxFeeRate: 60 } };
    expect(review(dear, request, cheap).why).toMatchObject([{ key: 'review.fee-limit.rate' }]);
  });

  it('counts what the inputs of an uncompressed key have more', () => {
    const tx = parseTx(buildPayment(request, held, script(1), rate, 32));
    expect(review(tx, request, { ...context, longer: 32 })).toMatchObject({ failed: [], size: review(tx).size + 64 });
    expect(review(built(), request, { ...context, longer: 32 }).failed).toEqual(['fee-minimum']);
  });

  it('spends exactly the coins that were chosen', () => {
    const [first, second] = held as [FundingUtxo, FundingUtxo];
    const chosen = { ...request, coins: [nameOf(first)] };
    expect(review(built(request, [first]), chosen).failed).toEqual([]);
    expect(review(built(), chosen).why).toMatchObject([
      { key: 'review.inputs.coin-not-chosen', values: { outpoint: nameOf(second) } },
    ]);
    expect(review(built(request, [first]), { ...request, coins: held.map(nameOf) }).why).toMatchObject([
      { key: 'review.inputs.left-out', values: { outpoint: nameOf(second) } },
    ]);
    expect(review(built(request, [first])).checks[1]?.sentences).toMatchObject([{ key: 'review.inputs.own-coin' }]);
  });

  it('has no change where the last receiver takes all', () => {
    const all: WalletSendRequest = { to: [{ address: address(2), satoshis: 'all' }] };
    const tx = built(all);
    expect(review(tx, all)).toMatchObject({ failed: [], outputs: [{ kind: 'payment' }] });
    expect(review(tx, all).checks[3]?.sentences).toMatchObject([{ key: 'review.change.nothing' }]);
    const more = { ...tx, outputs: [...tx.outputs, { satoshis: satoshis(0), script: script(1) }] };
    expect(review(more, all).why).toContainEqual(expect.objectContaining({ key: 'review.change.more-outputs' }));
    expect(review({ ...built(), outputs: built().outputs.slice(0, 2) }).checks[3]?.passed).toBe(true);
  });

  it('names three receivers, and how many there are more', () => {
    const to = [2, 3, 4, 5, 6].map((n) => ({ address: address(n), satoshis: 600 }));
    const sentences = (count: number) =>
      review(built({ to: to.slice(0, count) }), { to: to.slice(0, count) }).checks[2]?.sentences;
    expect(sentences(3)).toMatchObject([{ key: 'review.outputs.payments' }]);
    expect(sentences(5)).toMatchObject([{ key: 'review.outputs.payments-and-more', values: { count: 2 } }]);
    expect(sentences(5)?.[0]?.values?.payments).toHaveLength(3);
    expect(sentences(5)?.[0]?.values?.payments).toMatchObject([
      { values: { satoshis: 600, address: address(2) } },
      {},
      {},
    ]);
  });

  it('says whose price it was', () => {
    const source = { miner: 'a miner', publicKey: null, since: 0, pinned: false } as never;
    const found = review(built(), request, { ...context, source });
    expect(found.checks.at(-1)?.id).toBe('quote-signer');
    expect(found.quote).toBe(source);
  });

  it('tells a fee of nothing where more is paid out than comes in, and what is paid where it is unknown', () => {
    const found = review(output(input(built(), 0, { vout: 8 }), 2, { script: Uint8Array.of(0x6a) }));
    expect(found.fee).toBe(0);
    expect(found.inputs[0]).toMatchObject({ satoshis: 0, address: null });
    expect(found.outputs[2]).toMatchObject({ kind: 'unknown', address: null });
  });
});

describe('the review of a payment that moves a token', () => {
  const moving: WalletSendRequest = { token: nameOf(token), to: [{ address: address(2), satoshis: 5 }] };
  const around = { ...context, tokens: [token] };
  const tx = built(moving, [token, ...held]);
  const inputs = (of: Tx, by = moving, within = around) => review(of, by, within).why.map(({ key }) => key);

  it('keeps the satoshis of the token whole, at the first place', () => {
    expect(review(tx, moving, around).failed).toEqual([]);
    expect(review(tx, moving, around).checks[1]?.sentences).toMatchObject([{ key: 'review.inputs.token-moved' }]);
    const swapped = { ...tx, inputs: [tx.inputs[1], tx.inputs[0], tx.inputs[2]] as Tx['inputs'] };
    expect(inputs(swapped)).toContain('review.inputs.not-token');
    expect(inputs(output(tx, 0, { satoshis: satoshis(4) }))).toContain('review.inputs.satoshi-elsewhere');
    const less: WalletSendRequest = { ...moving, to: [{ address: address(2), satoshis: 4 }] };
    expect(inputs(output(tx, 0, { satoshis: satoshis(4) }), less)).toContain('review.inputs.not-token');
    expect(inputs(tx, moving, { ...around, tokens: [] })).toContain('review.inputs.not-token');
  });

  it('spends the token beside the coins that were chosen', () => {
    const { token: one, ...rest } = moving;
    const many: WalletSendRequest = { ...rest, tokens: [one as string], coins: held.map(nameOf) };
    expect(review(tx, many, around).failed).toEqual([]);
    expect(inputs({ ...tx, inputs: tx.inputs.slice(1) }, many)).toContain('review.inputs.left-out');
  });

  it('says how many are moved', () => {
    const second = { ...token, vout: 4 };
    const two: WalletSendRequest = {
      tokens: [nameOf(token), nameOf(second)],
      to: [2, 3].map((n) => ({ address: address(n), satoshis: 5 })),
    };
    const found = review(built(two, [token, second, ...held]), two, { ...context, tokens: [token, second] });
    expect(found.failed).toEqual([]);
    expect(found.checks[1]?.sentences).toMatchObject([{ key: 'review.inputs.tokens-moved', values: { count: 2 } }]);
  });
});
