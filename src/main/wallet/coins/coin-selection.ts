import { type FundingUtxo, formatOutpoint, LEAST_CHANGE, type Satoshis } from '../../../chain/index.ts';

/** A coin that may be spent: not a token (the type says so), not spent, not held by anybody. */
export interface Candidate {
  readonly coin: FundingUtxo;
  readonly confirmed: boolean;
}

/** Satoshis of coins or outputs together. */
export function sumOf(amounts: readonly { readonly satoshis: number }[]): number {
  return amounts.reduce((sum, { satoshis }) => sum + satoshis, 0);
}

/** Inputs that a payment has at most for the sake of confirmed coins: anybody can pay a wallet many small ones, and each costs a fee. */
export const MORE_FOR_CONFIRMED = 8;

/**
 * Chooses coins that pay `outputsTotal` and the fee: as few as possible, confirmed ones where they suffice without many more inputs, the
 * smallest that will do so that large coins stay free for others, and without dust as change where there is a choice. A coin that costs
 * more than it is worth is never added. The same candidates give the same choice.
 * @param feeFor fee in satoshis of the transaction with that many P2PKH inputs
 * @returns undefined where no candidates together are enough
 */
export function selectCoins(
  candidates: readonly Candidate[],
  outputsTotal: Satoshis,
  feeFor: (inputs: number) => Satoshis,
): FundingUtxo[] | undefined {
  const largestFirst = [...candidates].sort(byValueThenOutpoint);
  const need = (inputs: number): number => outputsTotal + feeFor(inputs);
  const any = choose(largestFirst, need);
  if (any === undefined) return undefined;
  const confirmed = choose(
    largestFirst.filter((candidate) => candidate.confirmed),
    need,
  );
  const isFewer = confirmed !== undefined && confirmed.length <= any.length + MORE_FOR_CONFIRMED;
  // Dust would go to the miner, and may make the fee higher than a person allows.
  const chosen = isFewer && (!leavesDust(confirmed, need) || leavesDust(any, need)) ? confirmed : any;
  return chosen.map(({ coin }) => coin);
}

function leavesDust(chosen: readonly Candidate[], need: (inputs: number) => number): boolean {
  const change = sumOf(chosen.map(({ coin }) => coin)) - need(chosen.length);
  return change > 0 && change < LEAST_CHANGE;
}

/**
 * The largest candidates, for as long as each is worth more than it costs: what they can pay at most.
 * @param feeFor fee in satoshis of the transaction with that many P2PKH inputs
 */
export function worthTheirCost(candidates: readonly Candidate[], feeFor: (inputs: number) => Satoshis): Candidate[] {
  const largestFirst = [...candidates].sort(byValueThenOutpoint);
  let [sum, most, count] = [0, Number.NEGATIVE_INFINITY, 0];
  for (const [index, { coin }] of largestFirst.entries()) {
    sum += coin.satoshis;
    const left = sum - feeFor(index + 1);
    if (left <= most) continue;
    most = left;
    count = index + 1;
  }
  return largestFirst.slice(0, count);
}

function choose(largestFirst: readonly Candidate[], need: (inputs: number) => number): Candidate[] | undefined {
  let sum = 0;
  let fewest = 0;
  for (const [index, { coin }] of largestFirst.entries()) {
    sum += coin.satoshis;
    if (sum >= need(index + 1)) {
      fewest = index + 1;
      break;
    }
  }
  if (fewest === 0) return undefined;
  // one coin more has to be worth more than it costs
  const more = need(fewest + 1) - need(fewest) + 1;
  return (
    withSmallestLast(largestFirst, fewest, need, true) ??
    withSmallestLast(largestFirst, fewest + 1, need, true, more) ??
    withSmallestLast(largestFirst, fewest, need, false)
  );
}

/** The `count - 1` largest and, as the last one, the smallest that is enough. @param least satoshis that it has at least */
function withSmallestLast(
  largestFirst: readonly Candidate[],
  count: number,
  need: (inputs: number) => number,
  noDust: boolean,
  least = 0,
): Candidate[] | undefined {
  if (count > largestFirst.length) return undefined;
  const fixed = largestFirst.slice(0, count - 1);
  const missing = need(count) - sumOf(fixed.map(({ coin }) => coin));
  for (let index = largestFirst.length - 1; index >= count - 1; index--) {
    const last = largestFirst[index] as Candidate;
    const change = last.coin.satoshis - missing;
    if (last.coin.satoshis < least) continue;
    if (change >= LEAST_CHANGE || change === 0 || (change > 0 && !noDust)) return [...fixed, last];
  }
  return undefined;
}

function byValueThenOutpoint(a: Candidate, b: Candidate): number {
  if (a.coin.satoshis !== b.coin.satoshis) return b.coin.satoshis - a.coin.satoshis;
  return formatOutpoint(a.coin) < formatOutpoint(b.coin) ? -1 : 1;
}
