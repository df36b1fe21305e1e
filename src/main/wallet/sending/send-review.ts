import {
  addressNetwork,
  decodeAddress,
  encodeAddress,
  equalBytes,
  exceededCaps,
  type FeeCaps,
  type FundingUtxo,
  feeFor,
  formatOutpoint,
  isRateAbove,
  leastChangeAt,
  ownerKeyHash,
  p2pkhScript,
  parseTx,
  predictSignedSize,
  type Rate,
  type Tx,
  type Utxo,
} from '../../../chain/index.ts';
import {
  type Network,
  type PaymailReceiver,
  type Phrase,
  phrase,
  type QuoteSource,
  quoteSignerPhrase,
  type Review,
  reviewCheck,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import { digestOf, plainOutputs } from '../../transaction-jobs/review-parts.ts';
import { sumOf } from '../coins/coin-selection.ts';
import { tokensOf } from './send-draft.ts';

export interface SendReviewContext {
  readonly network: Network;
  readonly rate: Rate;
  /** The source of the rate; undefined where the person named it. */
  readonly source: QuoteSource | undefined;
  readonly caps: FeeCaps;
  readonly changeScript: Uint8Array;
  /** Coins that the wallet holds for this payment. */
  readonly held: readonly FundingUtxo[];
  /** The tokens that the wallet holds for it, where some are moved, in the order of the request. */
  readonly tokens?: readonly Utxo[];
  /** Bytes by which each input exceeds that of a compressed public key. */
  readonly longer?: number;
}

/** Decodes an unsigned payment from its bytes and holds it against the request, field by field. */
export function reviewPayment(request: WalletSendRequest, unsigned: Uint8Array, context: SendReviewContext): Review {
  const tx = parseTx(unsigned);
  const { tokens = [], longer = 0 } = context;
  const moved = tokensOf(request).length;
  const mine: Utxo[] = [...context.held, ...tokens];
  const held = new Map(mine.map((coin) => [formatOutpoint(coin), coin]));
  const spent = tx.inputs.map((input) => held.get(formatOutpoint(input)));
  const fee = sumOf(spent.flatMap((coin) => coin ?? [])) - sumOf(tx.outputs);
  const size = predictSignedSize(tx) + tx.inputs.length * longer;
  const price = feeFor(size, context.rate);
  const addressOf = (script: Uint8Array): string | null => {
    const hash = ownerKeyHash(script);
    return hash ? encodeAddress(hash, addressNetwork(context.network)) : null;
  };
  const checks = [
    reviewCheck('form', formFaults(tx), phrase('review.form.plain')),
    reviewCheck(
      'inputs',
      [...inputFaults(request, tx, held), ...tokenFaults(request, tx, tokens)],
      moved > 0 ? tokenPhrase(moved) : inputPhrase(tx.inputs.length),
    ),
    reviewCheck('outputs', outputFaults(request, tx), outputPhrase(request, tx)),
    ...(request.paymails === undefined
      ? []
      : [reviewCheck('paymail', paymailFaults(request.paymails, tx), paymailPhrase(request.paymails))]),
    reviewCheck(
      'change',
      changeFaults(request, tx, context.changeScript),
      phrase(tx.outputs.length > request.to.length ? 'review.change.rest' : 'review.change.nothing'),
    ),
    reviewCheck(
      'fee-minimum',
      fee >= price ? [] : [phrase('review.fee-minimum.less', { fee, price, bytes: size })],
      phrase('review.fee-minimum.pays', { fee, bytes: size }),
    ),
    reviewCheck(
      'fee-maximum',
      fee <= price + leastChangeAt(context.rate) + 1 ? [] : [phrase('review.fee-maximum.more', { fee, price })],
      phrase('review.fee-maximum.exact'),
    ),
    reviewCheck(
      'fee-limit',
      limitFaults(tx, fee, context),
      phrase('review.fee-limit.both', { limit: context.caps.maxFeeSatoshis, rate: context.caps.maxFeeRate }),
    ),
    ...(context.source === undefined ? [] : [reviewCheck('quote-signer', [], quoteSignerPhrase(context.source))]),
  ];
  return {
    digest: digestOf(unsigned),
    ok: checks.every(({ passed }) => passed),
    checks,
    inputs: tx.inputs.map(({ txid, vout }, index) => ({
      txid,
      vout,
      satoshis: spent[index]?.satoshis ?? 0,
      address: addressOf(spent[index]?.lockingScript ?? new Uint8Array()),
    })),
    outputs: plainOutputs(tx.outputs, addressOf, (script, index) =>
      index < request.to.length ? 'payment' : equalBytes(script, context.changeScript) ? 'change' : 'unknown',
    ),
    fee: Math.max(0, fee),
    size,
    destination: request.to[0]?.address ?? '',
    network: context.network,
    ...(context.source === undefined ? {} : { quote: context.source }),
  };
}

function formFaults(tx: Tx): Phrase[] {
  return [
    ...(tx.version === 1 ? [] : [phrase('review.version.other', { version: tx.version })]),
    ...(tx.lockTime === 0 ? [] : [phrase('review.form.not-final')]),
    ...(tx.inputs.every(({ sequence, script }) => sequence === 0xffffffff && script.length === 0)
      ? []
      : [phrase('review.form.signed')]),
  ];
}

/** Exactly the coins held for it, each once; and exactly those that were chosen, where some were. */
function inputFaults(request: WalletSendRequest, tx: Tx, held: ReadonlyMap<string, Utxo>): Phrase[] {
  const inputs = tx.inputs.map(formatOutpoint);
  const wanted = request.coins === undefined ? undefined : new Set([...tokensOf(request), ...request.coins]);
  return [
    ...(new Set(inputs).size === inputs.length ? [] : [phrase('review.inputs.coin-twice')]),
    ...inputs.flatMap((outpoint) => (held.has(outpoint) ? [] : [phrase('review.inputs.not-held', { outpoint })])),
    ...(wanted === undefined ? [] : inputs.filter((outpoint) => !wanted.has(outpoint))).map((outpoint) =>
      phrase('review.inputs.coin-not-chosen', { outpoint }),
    ),
    ...[...(wanted ?? [])].flatMap((outpoint) =>
      inputs.includes(outpoint) ? [] : [phrase('review.inputs.left-out', { outpoint })],
    ),
  ];
}

/** The tokens come first, and the outputs at the same places take all of their satoshis. */
function tokenFaults(request: WalletSendRequest, tx: Tx, tokens: readonly Utxo[]): Phrase[] {
  return tokensOf(request).flatMap((outpoint, index) => {
    const input = tx.inputs[index];
    const held = tokens.find((token) => formatOutpoint(token) === outpoint);
    const value = request.to[index]?.satoshis;
    return [
      ...(input && formatOutpoint(input) === outpoint && held?.satoshis === value
        ? []
        : [phrase('review.inputs.not-token', { input: index, outpoint })]),
      ...(tx.outputs[index]?.satoshis === value ? [] : [phrase('review.inputs.satoshi-elsewhere', { output: index })]),
    ];
  });
}

function tokenPhrase(count: number): Phrase {
  return count === 1 ? phrase('review.inputs.token-moved') : phrase('review.inputs.tokens-moved', { count });
}

function inputPhrase(count: number): Phrase {
  return count === 1 ? phrase('review.inputs.own-coin') : phrase('review.inputs.own-coins', { count });
}

function outputFaults(request: WalletSendRequest, tx: Tx): Phrase[] {
  return request.to.flatMap(({ address, satoshis }, index): Phrase[] => {
    const output = tx.outputs[index];
    if (!output || !equalBytes(output.script, p2pkhScript(decodeAddress(address).pubKeyHash)))
      return [phrase('review.outputs.elsewhere', { output: index, address })];
    return satoshis === 'all' || output.satoshis === satoshis
      ? []
      : [phrase('review.outputs.amount', { output: index, satoshis: output.satoshis, asked: satoshis })];
  });
}

function outputPhrase({ to }: WalletSendRequest, tx: Tx): Phrase {
  const payments = to
    .slice(0, 3)
    .map(({ address }, index) =>
      phrase('review.word.payment', { satoshis: tx.outputs[index]?.satoshis ?? 0, address }),
    );
  const count = to.length - payments.length;
  return count > 0
    ? phrase('review.outputs.payments-and-more', { payments, count })
    : phrase('review.outputs.payments', { payments });
}

/** The hosts were asked for a sum each. */
function paymailFaults(paymails: readonly PaymailReceiver[], tx: Tx): Phrase[] {
  return paymails.flatMap(({ paymail, satoshis: asked, first, count }) => {
    const satoshis = sumOf(tx.outputs.slice(first, first + count));
    return satoshis === asked ? [] : [phrase('review.paymail.sum', { paymail, satoshis, asked })];
  });
}

function paymailPhrase(paymails: readonly PaymailReceiver[]): Phrase {
  const outputs = paymails.flatMap(({ first, count }) => Array.from({ length: count }, (_, index) => first + index));
  const values = { paymails: paymails.map(({ paymail }) => paymail).join(', '), outputs: outputs.join(', ') };
  if (paymails.length > 1) return phrase('review.paymail', values);
  return phrase(outputs.length > 1 ? 'review.paymail.outputs' : 'review.paymail.output', values);
}

function changeFaults(request: WalletSendRequest, tx: Tx, changeScript: Uint8Array): Phrase[] {
  const rest = tx.outputs.slice(request.to.length);
  const mayHaveOne = request.to.at(-1)?.satoshis !== 'all';
  if (rest.length > (mayHaveOne ? 1 : 0)) return [phrase('review.change.more-outputs')];
  return rest.every(({ script }) => equalBytes(script, changeScript)) ? [] : [phrase('review.change.rest-elsewhere')];
}

function limitFaults(tx: Tx, fee: number, { rate, caps }: SendReviewContext): Phrase[] {
  const exceeded = new Map(exceededCaps(fee, tx, caps).map(({ setting, limit }) => [setting, limit]));
  const limit = exceeded.get('maxFeeSatoshis');
  return [
    ...(limit === undefined ? [] : [phrase('review.fee-limit.above', { fee, limit })]),
    ...(exceeded.has('maxFeeRate') || isRateAbove(rate, caps.maxFeeRate)
      ? [phrase('review.fee-limit.rate', { rate: caps.maxFeeRate })]
      : []),
  ];
}
