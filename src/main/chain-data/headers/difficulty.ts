import { bitsToTarget, medianTime, targetToBits, workOf } from '../../../chain/index.ts';
import type { ChainRules } from './chain-rules.ts';

const SPACING = 600;
const INTERVAL = 2_016;
const TIMESPAN = INTERVAL * SPACING;
/** Blocks over which the newer adjustment looks. */
const WINDOW = 144;
const HALF_DAY = 43_200;

/** The headers below the next one, by height. */
export interface HeaderView {
  /** Height of the newest header. */
  readonly height: number;
  /** Seconds since 1970-01-01 UTC. */
  time(height: number): number;
  bits(height: number): number;
}

/**
 * The compact target that the next header must have, as bitcoin-sv computes it (`src/pow.cpp`).
 * @param view the last 2,016 headers at least, as far as there are so many
 * @param time of the next header, in seconds
 */
export function requiredBits(rules: ChainRules, view: HeaderView, time: number): number {
  if (rules.isFixed) return view.bits(view.height);
  return view.height >= rules.daaHeight ? adjustedBits(rules, view, time) : retargetedBits(rules, view, time);
}

/** Median time past: the next header must be later. */
export function medianTimeAt(view: HeaderView, height: number): number {
  const times: number[] = [];
  for (let at = Math.max(0, height - 10); at <= height; at++) times.push(view.time(at));
  return medianTime(times);
}

/** The adjustment over 144 blocks, since 13 November 2017. */
function adjustedBits(rules: ChainRules, view: HeaderView, time: number): number {
  const { height } = view;
  if (rules.allowsEasiest && time > view.time(height) + 2 * SPACING) return rules.easiestBits;
  const last = medianOfThree(view, height);
  const first = medianOfThree(view, height - WINDOW);
  let work = 0n;
  for (let at = first + 1; at <= last; at++) work += workAt(view.bits(at));
  const elapsed = view.time(last) - view.time(first);
  const bounded = Math.min(Math.max(elapsed, (WINDOW / 2) * SPACING), 2 * WINDOW * SPACING);
  const perBlock = (work * BigInt(SPACING)) / BigInt(bounded);
  return bounded256((2n ** 256n - perBlock) / perBlock, rules);
}

/** Height of the block whose time is the median of three, so that one wrong time has no influence. */
function medianOfThree(view: HeaderView, height: number): number {
  let [a, b, c] = [height - 2, height - 1, height];
  if (view.time(a) > view.time(c)) [a, c] = [c, a];
  if (view.time(a) > view.time(b)) [a, b] = [b, a];
  if (view.time(b) > view.time(c)) [b, c] = [c, b];
  return b;
}

/** Every 2,016 blocks, and easier at once if six blocks took half a day. */
function retargetedBits(rules: ChainRules, view: HeaderView, time: number): number {
  const { height } = view;
  const next = height + 1;
  const bits = view.bits(height);
  if (next % INTERVAL === 0) {
    const elapsed = view.time(height) - view.time(next - INTERVAL);
    const bounded = Math.min(Math.max(elapsed, TIMESPAN / 4), TIMESPAN * 4);
    return bounded256((bitsToTarget(bits) * BigInt(bounded)) / BigInt(TIMESPAN), rules);
  }
  if (rules.allowsEasiest) {
    if (time > view.time(height) + 2 * SPACING) return rules.easiestBits;
    let at = height;
    while (at > 0 && at % INTERVAL !== 0 && view.bits(at) === rules.easiestBits) at--;
    return view.bits(at);
  }
  if (bits === rules.easiestBits) return bits;
  if (medianTimeAt(view, height) - medianTimeAt(view, next - 7) < HALF_DAY) return bits;
  const target = bitsToTarget(bits);
  return bounded256(target + (target >> 2n), rules);
}

function bounded256(target: bigint, { easiestBits }: ChainRules): number {
  return targetToBits(target) === 0 || target > easiestTarget(easiestBits) ? easiestBits : targetToBits(target);
}

/** The limit itself has more digits than its compact form. */
function easiestTarget(bits: number): bigint {
  const size = BigInt(8 * ((bits >>> 24) - 3));
  return bitsToTarget(bits) + (1n << size) - 1n;
}

const works = new Map<number, bigint>();

/** {@link workOf}, kept: neighbours have the same target or are looked at again and again. */
export function workAt(bits: number): bigint {
  let work = works.get(bits);
  if (work === undefined) {
    if (works.size >= 4_096) works.clear();
    work = workOf(bits);
    works.set(bits, work);
  }
  return work;
}
