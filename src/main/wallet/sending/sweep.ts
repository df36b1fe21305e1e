import {
  type FundingUtxo,
  feeFor,
  formatOutpoint,
  leastChangeAt,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  type Rate,
  type Utxo,
} from '../../../chain/index.ts';
import { PlanchetError, type WalletSendRequest, type WalletSweep } from '../../../contract/index.ts';
import { sumOf } from '../coins/coin-selection.ts';
import { isUnproven } from '../coins/spendable.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import type { WalletKey } from '../keys/wallet-key.ts';
import { FRAME_BYTES, paymentFee } from './send-draft.ts';
import { batchesOf } from './series.ts';
import { isMovable, type PaymentLimits } from './spending-limits.ts';

/** Tokens that one transaction moves at most. */
const MAX_TOKENS = 250;
/** A transaction that moves a redeemable token names its script in the proof of the spent output and in the new one. */
const SCRIPT_COPIES = 3;
/** Bytes of such a transaction beside the copies of the script. */
const MOVE_BYTES = 1_000;

type Left = WalletSweep['left'][number];

interface Sweep {
  /** Unspent outputs that never fund a transaction and that nobody holds. */
  readonly outputs: readonly Utxo[];
  /** Such outputs of transactions that may build on nothing: they cannot be moved before a block holds them. */
  readonly unproven: readonly Utxo[];
  /** Free money. */
  readonly coins: readonly FundingUtxo[];
  /** The own key of the account. */
  readonly key: Pick<WalletKey, 'pubKeyHash' | 'publicKey'>;
  /** The receiver. */
  readonly address: string;
  readonly rate: Rate;
  readonly feeRate?: number | undefined;
  /** Bytes by which each input exceeds that of a compressed public key. */
  readonly longer: number;
  readonly limits?: PaymentLimits | undefined;
}

/**
 * What an account has beside money and can move, as far as no payment under way and no signed transaction spends it.
 * @param replaced ids of signed transactions that do not count
 */
export function freeTokens(
  coinStore: CoinStore,
  replaced: ReadonlySet<string> = new Set(),
): Pick<Sweep, 'outputs' | 'unproven'> {
  const [outputs, unproven]: [Utxo[], Utxo[]] = [[], []];
  for (const { utxo, owner } of coinStore.nonFunding) {
    const outpoint = formatOutpoint(utxo);
    const coin = coinStore.coins.get(outpoint);
    const signed = coinStore.heldBySigned.get(outpoint);
    if (coin === undefined || owner !== undefined || (signed && !signed.some((txid) => replaced.has(txid)))) continue;
    (isUnproven(coinStore, coin) ? unproven : outputs).push(utxo);
  }
  return { outputs, unproven };
}

/**
 * The payments that bring everything of an account to an address: tokens whole, and the money after them. What stays keeps money for the
 * fee of moving it later, as one coin.
 * @throws PlanchetError `funds-insufficient` where there is too little for the fee
 */
export function planSweep(sweep: Sweep): WalletSendRequest[] {
  const { outputs, unproven, coins, key, address, rate, feeRate, longer, limits } = sweep;
  const movable = outputs.filter((output) => isMovable(output, key));
  const contracts = outputs.filter((output) => output.satoshis > 0 && !isMovable(output, key));
  const { batches } = batchesOf(coins, rate, longer, {
    wanted: Math.ceil(movable.length / MAX_TOKENS),
    limits,
  });
  const requestFor = (
    money: readonly Utxo[],
    tokens: readonly Utxo[],
    rest: number | 'all' | undefined,
  ): WalletSendRequest => ({
    ...(tokens.length === 0 ? {} : { tokens: tokens.map(formatOutpoint) }),
    to: [
      ...tokens.map(({ satoshis }) => ({ address, satoshis })),
      ...(rest === undefined ? [] : [{ address, satoshis: rest }]),
    ],
    coins: money.map(formatOutpoint),
    ...(feeRate === undefined ? {} : { feeRate }),
  });
  const afterFee = (money: readonly Utxo[], tokens: readonly Utxo[]): number =>
    sumOf(money) - paymentFee(requestFor(money, tokens, 'all'), rate, longer)(money.length);
  let later: readonly Utxo[] = movable;
  const moves = batches.map((money) => {
    const count = fitting(Math.min(later.length, MAX_TOKENS), (n) => afterFee(money, later.slice(0, n)) >= 0);
    const tokens = later.slice(0, count);
    later = later.slice(count);
    return { money, tokens };
  });
  // Anybody can invent tokens: what is kept for them is no more than one transaction costs.
  const waiting = unproven.filter((output) => isMovable(output, key)).slice(0, MAX_TOKENS);
  const kept = feesOf({ contracts, later: [...later, ...waiting] }, rate, longer);
  const requests = moves.flatMap(({ money, tokens }, index) => {
    // the first has the most valuable coin
    const stays = index === 0 ? kept : 0;
    const rest = afterFee(money, tokens) - stays;
    const movesMoney = rest > leastChangeAt(rate);
    if (tokens.length === 0 && !movesMoney) return [];
    return [requestFor(money, tokens, movesMoney ? (stays === 0 ? 'all' : rest) : undefined)];
  });
  if (requests.length === 0)
    throw new PlanchetError('wallet.sweep-nothing', { tokens: movable.length + waiting.length });
  return requests;
}

/** The outputs that a sweep leaves, and why. @param requests none where their outputs are held already, and so not among those given */
export function leftBy(
  { outputs, unproven, coins, key, rate, longer }: Omit<Sweep, 'address' | 'feeRate'>,
  requests: readonly WalletSendRequest[] = [],
): Left[] {
  const inputFee = feeFor(P2PKH_INPUT_BYTES + longer, rate);
  const taken = new Set(requests.flatMap(({ tokens = [], coins: spent = [] }) => [...tokens, ...spent]));
  const reasonOf = (output: Utxo, isCoin: boolean): Left['reason'] => {
    if (output.satoshis <= (isCoin ? inputFee : 0)) return 'dust';
    return isCoin || isMovable(output, key) ? 'too-many' : 'contract';
  };
  const leftFor = (output: Utxo, reason: Left['reason']): Left => ({
    outpoint: formatOutpoint(output),
    satoshis: output.satoshis,
    reason,
  });
  const all = [
    ...outputs.map((output) => leftFor(output, reasonOf(output, false))),
    ...coins.map((coin) => leftFor(coin, reasonOf(coin, true))),
    ...unproven.map((output) => leftFor(output, 'unproven')),
  ];
  return all.filter(({ outpoint }) => !taken.has(outpoint));
}

/** The largest number up to `most` that fits; a smaller one fits where a larger one does. */
function fitting(most: number, fits: (count: number) => boolean): number {
  let count = most;
  while (count > 0 && !fits(count)) count -= 1;
  return count;
}

/** Satoshis that it costs to move later what stays. */
function feesOf(
  { contracts, later }: { readonly contracts: readonly Utxo[]; readonly later: readonly Utxo[] },
  rate: Rate,
  longer: number,
): number {
  const each = contracts.map(({ lockingScript }) => feeFor(MOVE_BYTES + SCRIPT_COPIES * lockingScript.length, rate));
  const bytes = FRAME_BYTES + (later.length + 1) * (P2PKH_INPUT_BYTES + longer + P2PKH_OUTPUT_BYTES);
  return each.reduce((sum: number, fee) => sum + fee, 0) + (later.length === 0 ? 0 : feeFor(bytes, rate));
}
