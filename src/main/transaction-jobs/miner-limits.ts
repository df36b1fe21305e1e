import { P2PKH_UNLOCK_BYTES, predictSignedSize, requiredFee, type Tx } from '../../chain/index.ts';
import {
  allOf,
  largestScript,
  type Phrase,
  PlanchetError,
  phrase,
  type ReviewCheck,
  reviewCheck,
} from '../../contract/index.ts';
import type { Merchant, MinerTerms } from '../ports/merchant/merchant.ts';

/** The sizes that a miner's policy limits, in bytes. */
interface Extent {
  readonly bytes: number;
  readonly longestScript: number;
}

/** Unlocking scripts come out this much shorter than the longest kind. */
const UNLOCK_SLACK = 3;

/** @param tx signed or not: an input without a script counts as one that is signed */
function extentOf(tx: Tx): Extent {
  // A payout has more outputs than a call takes arguments.
  const longestScript = [...tx.inputs, ...tx.outputs].reduce((most, { script }) => Math.max(most, script.length), 0);
  return { bytes: predictSignedSize(tx), longestScript };
}

/** The limits of the miners in use. What nobody tells keeps nobody from signing: none then. */
export async function minerTerms(merchant: Pick<Merchant, 'terms'>): Promise<readonly MinerTerms[]> {
  return (await merchant.terms?.().catch(() => [])) ?? [];
}

function takes({ policy }: MinerTerms, { bytes, longestScript }: Extent): boolean {
  return longestScript <= largestScript(policy, bytes - longestScript);
}

/**
 * Whether a miner in use takes a transaction, and at the fee that it pays.
 * @param fee satoshis
 * @param asked the rate that a person named, in satoshis for 1,000 bytes; left out where nobody did
 * @returns nothing where all of them take it and one is paid what it asks, or none tells its limits
 */
export function minerLimitsCheck(tx: Tx, fee: number, terms: readonly MinerTerms[], asked?: number): ReviewCheck[] {
  const extent = extentOf(tx);
  const taking = terms.filter((one) => takes(one, extent));
  const paid = taking.filter((miner) => fee >= leastFee(tx, miner));
  if (taking.length === terms.length)
    return paid.length > 0 || terms.length === 0 ? [] : [tooCheap(tx, fee, terms, asked)];
  const names = (miners: readonly MinerTerms[]): string => miners.map(({ name }) => name).join(', ');
  const differences: Phrase[] = [];
  if (taking.length === 0)
    differences.push(...terms.map((miner) => refusalOf(miner, extent)), phrase('review.miner-limits.nobody'));
  else if (paid.length === 0) differences.push(phrase('review.miner-limits.dearer', { miners: names(taking), fee }));
  return [
    reviewCheck(
      'miner-limits',
      differences.slice(-3),
      phrase('review.miner-limits', { miners: names(paid), bytes: extent.bytes, script: extent.longestScript }),
    ),
  ];
}

/**
 * Refuses what no miner in use takes, or takes at its fee, before it is signed.
 * @param fee satoshis
 * @throws PlanchetError `merchant.over-limits` with the limits of each
 */
export async function requireTaken(tx: Tx, fee: number, merchant: Pick<Merchant, 'terms'>): Promise<void> {
  const [limits] = minerLimitsCheck(tx, fee, await minerTerms(merchant));
  if (limits?.passed !== false) return;
  const [first = phrase('review.miner-limits.nobody'), ...more] = limits.sentences ?? [];
  throw new PlanchetError('merchant.over-limits', { reasons: allOf([first, ...more]) });
}

function tooCheap(tx: Tx, fee: number, terms: readonly MinerTerms[], asked: number | undefined): ReviewCheck {
  const prices = terms.map((miner) => ({ miner: miner.name, needed: leastFee(tx, miner), rate: miner.standard }));
  const [{ miner, needed, rate }] = prices.sort((one, other) => one.needed - other.needed) as [(typeof prices)[0]];
  const values = { miner, needed, fee, asks: perThousand(rate.satoshis, rate.bytes) };
  const pays = asked ?? perThousand(fee, predictSignedSize(tx));
  return reviewCheck(
    'miner-rate',
    [phrase('review.miner-rate.below', { ...values, pays })],
    phrase('review.miner-rate'),
  );
}

/** The fee that a miner asks for a transaction, in satoshis. */
function leastFee(tx: Tx, miner: MinerTerms): number {
  return requiredFee(signed(tx), miner);
}

/** Satoshis for 1,000 bytes, to the hundredth. */
function perThousand(satoshis: number, bytes: number): number {
  return Math.round((satoshis * 100_000) / bytes) / 100;
}

function signed(tx: Tx): Tx {
  const unlock = new Uint8Array(P2PKH_UNLOCK_BYTES - UNLOCK_SLACK);
  return { ...tx, inputs: tx.inputs.map((input) => (input.script.length > 0 ? input : { ...input, script: unlock })) };
}

function refusalOf({ name: miner, policy }: MinerTerms, { bytes, longestScript }: Extent): Phrase {
  const { maxTxBytes, maxScriptBytes } = policy;
  return maxTxBytes !== undefined && bytes > maxTxBytes
    ? phrase('review.miner-limits.size', { miner, bytes, limit: maxTxBytes })
    : phrase('review.miner-limits.script', { miner, bytes: longestScript, limit: maxScriptBytes ?? 0 });
}
