import { createHash } from 'node:crypto';
import {
  addressNetwork,
  decodeAddress,
  encodeAddress,
  equalBytes,
  type FundingUtxo,
  feeFor,
  formatOutpoint,
  highestFee,
  isRateAbove,
  leadingP2pkh,
  p2pkhScript,
  parseTx,
  predictSignedSize,
  type Rate,
  type Tx,
  type Utxo,
} from '../../../chain/index.ts';
import {
  type Network,
  type QuoteSource,
  quoteSignerText,
  type Review,
  type ReviewCheck,
  type Settings,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import { dustOf, tokensOf } from './send-draft.ts';

export interface SendReviewContext {
  readonly network: Network;
  readonly rate: Rate;
  /** Whose price it is; undefined where the person named the rate. */
  readonly source: QuoteSource | undefined;
  readonly caps: Pick<Settings, 'maxFeeSatoshis' | 'maxFeeRate'>;
  /** Where change goes. */
  readonly changeScript: Uint8Array;
  /** Coins that the wallet holds for this payment. */
  readonly held: readonly FundingUtxo[];
  /** The tokens that the wallet holds for it, where some are moved, in the order of the request. */
  readonly tokens?: readonly Utxo[];
  /** Bytes by which each input exceeds that of a compressed public key. */
  readonly longer?: number;
}

/** What an approval is bound to: the SHA-256 of the unsigned transaction's bytes, hex. */
export function digestOf(unsigned: Uint8Array): string {
  return createHash('sha256').update(unsigned).digest('hex');
}

/** Decodes an unsigned payment from its bytes and holds it against the request, field by field. */
export function reviewPayment(request: WalletSendRequest, unsigned: Uint8Array, context: SendReviewContext): Review {
  const tx = parseTx(unsigned);
  const { tokens = [], longer = 0 } = context;
  const mine: Utxo[] = [...context.held, ...tokens];
  const held = new Map(mine.map((coin) => [formatOutpoint(coin), coin]));
  const spent = tx.inputs.map((input) => held.get(formatOutpoint(input)));
  const given = spent.reduce((sum, coin) => sum + (coin?.satoshis ?? 0), 0);
  const fee = given - tx.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
  const size = predictSignedSize(tx) + tx.inputs.length * longer;
  const price = feeFor(size, context.rate);
  const addressOf = (script: Uint8Array): string | null => {
    const hash = leadingP2pkh(script);
    return hash ? encodeAddress(hash, addressNetwork(context.network)) : null;
  };
  const checks = [
    check('form', formFaults(tx), 'The transaction has version 1, is final, and nothing else stands in it.'),
    tokensOf(request).length === 0
      ? check('inputs', inputFaults(request, tx, held), inputText(tx.inputs.length))
      : check(
          'inputs',
          [...inputFaults(request, tx, held), ...tokenFaults(request, tx, tokens)],
          tokenText(tokensOf(request).length),
        ),
    check('outputs', outputFaults(request, tx), outputText(request, tx)),
    check(
      'change',
      changeFaults(request, tx, context.changeScript),
      tx.outputs.length > request.to.length ? 'The rest comes back to your wallet.' : 'Nothing is left over.',
    ),
    check(
      'fee-minimum',
      fee >= price ? [] : [`The fee of ${fee} satoshis is less than ${price}, the price of ${size} bytes.`],
      `The fee of ${fee} satoshis pays for ${size} bytes.`,
    ),
    check(
      'fee-maximum',
      fee <= price + dustOf(context.rate) + 1
        ? []
        : [`The fee of ${fee} satoshis is more than the ${price} it should be.`],
      'The fee is not higher than it has to be.',
    ),
    check(
      'fee-limit',
      limitFaults(tx, fee, context),
      `The fee is within the limits of the settings: ${context.caps.maxFeeSatoshis} satoshis, and ${context.caps.maxFeeRate} for 1,000 bytes.`,
    ),
    ...(context.source === undefined ? [] : [check('quote-signer', [], quoteSignerText(context.source))]),
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
    outputs: tx.outputs.map(({ satoshis, script }, index) => ({
      index,
      satoshis,
      kind: index < request.to.length ? 'payment' : equalBytes(script, context.changeScript) ? 'change' : 'unknown',
      address: addressOf(script),
      itemId: null,
      contentType: null,
      contentBytes: null,
      contentSha256: null,
    })),
    fee: Math.max(0, fee),
    size,
    destination: request.to[0]?.address ?? '',
    network: context.network,
    ...(context.source === undefined ? {} : { quote: context.source }),
  };
}

function check(id: string, faults: readonly string[], text: string): ReviewCheck {
  return { id, passed: faults.length === 0, text: faults.length === 0 ? text : faults.join(' ') };
}

function formFaults(tx: Tx): string[] {
  return [
    ...(tx.version === 1 ? [] : [`The transaction has version ${tx.version} instead of 1.`]),
    ...(tx.lockTime === 0 ? [] : ['The transaction could not be mined at once.']),
    ...(tx.inputs.every(({ sequence, script }) => sequence === 0xffffffff && script.length === 0)
      ? []
      : ['An input is not final, or is signed already.']),
  ];
}

/** Exactly the coins held for it, each once; and exactly those that were chosen, where some were. */
function inputFaults(request: WalletSendRequest, tx: Tx, held: ReadonlyMap<string, Utxo>): string[] {
  const inputs = tx.inputs.map(formatOutpoint);
  const wanted = request.coins === undefined ? undefined : new Set([...tokensOf(request), ...request.coins]);
  return [
    ...(new Set(inputs).size === inputs.length ? [] : ['A coin would be spent twice.']),
    ...inputs.flatMap((outpoint) => (held.has(outpoint) ? [] : [`${outpoint} is not held for this payment.`])),
    ...(wanted === undefined ? [] : inputs.filter((outpoint) => !wanted.has(outpoint))).map(
      (outpoint) => `${outpoint} was not chosen.`,
    ),
    ...[...(wanted ?? [])].flatMap((outpoint) => (inputs.includes(outpoint) ? [] : [`${outpoint} is left out.`])),
  ];
}

/** The tokens come first and hold one satoshi each, which the outputs at the same places take. */
function tokenFaults(request: WalletSendRequest, tx: Tx, tokens: readonly Utxo[]): string[] {
  return tokensOf(request).flatMap((outpoint, index) => {
    const input = tx.inputs[index];
    const held = tokens.find((token) => formatOutpoint(token) === outpoint);
    return [
      ...(input && formatOutpoint(input) === outpoint && held?.satoshis === 1
        ? []
        : [`Input ${index} is not the token ${outpoint}.`]),
      ...(tx.outputs[index]?.satoshis === 1
        ? []
        : [`Output ${index} does not take exactly the one satoshi of the token.`]),
    ];
  });
}

function tokenText(count: number): string {
  return count === 1
    ? 'The token is moved whole, first in and first out; nothing else is spent but money for the fee.'
    : `${count} tokens are moved whole, in the same order in and out; nothing else is spent but money.`;
}

function inputText(count: number): string {
  return count === 1
    ? 'One coin of your wallet is spent, and no token.'
    : `${count} coins of your wallet are spent, and no token.`;
}

function outputFaults(request: WalletSendRequest, tx: Tx): string[] {
  return request.to.flatMap(({ address, satoshis }, index) => {
    const output = tx.outputs[index];
    if (!output || !equalBytes(output.script, p2pkhScript(decodeAddress(address).pubKeyHash)))
      return [`Output ${index} does not go to ${address}.`];
    return satoshis === 'all' || output.satoshis === satoshis
      ? []
      : [`Output ${index} pays ${output.satoshis} satoshis instead of ${satoshis}.`];
  });
}

function outputText({ to }: WalletSendRequest, tx: Tx): string {
  const named = to
    .slice(0, 3)
    .map(({ address }, index) => `${tx.outputs[index]?.satoshis ?? 0} satoshis to ${address}`);
  return `You send ${named.join(', ')}${to.length > 3 ? `, and to ${to.length - 3} more` : ''}.`;
}

function changeFaults(request: WalletSendRequest, tx: Tx, changeScript: Uint8Array): string[] {
  const rest = tx.outputs.slice(request.to.length);
  const mayHaveOne = request.to.at(-1)?.satoshis !== 'all';
  if (rest.length > (mayHaveOne ? 1 : 0)) return ['There are more outputs than asked for.'];
  return rest.every(({ script }) => equalBytes(script, changeScript))
    ? []
    : ['The rest does not come back to your wallet.'];
}

function limitFaults(tx: Tx, fee: number, { rate, caps }: SendReviewContext): string[] {
  const byRate = highestFee(tx, caps.maxFeeRate);
  return [
    ...(fee > caps.maxFeeSatoshis
      ? [`The fee of ${fee} satoshis is above the limit of ${caps.maxFeeSatoshis} in the settings.`]
      : []),
    ...(fee > byRate || isRateAbove(rate, caps.maxFeeRate)
      ? [`The fee rate is above the limit of ${caps.maxFeeRate} satoshis for 1,000 bytes in the settings.`]
      : []),
  ];
}
