import type { Miner, MinerQuote } from '../../../contract/index.ts';

type Rate = MinerQuote['standard'];
export type Policy = MinerQuote['policies'][string];

/** Satoshis for 1,000 bytes. */
export function perThousand({ satoshis, bytes }: Rate): number {
  return (satoshis * 1_000) / bytes;
}

export const rateKinds = ['standard', 'data', 'relay'] as const;
export type RateKind = (typeof rateKinds)[number];

/** The rate of a kind, in satoshis for 1,000 bytes; undefined if the miner states none. */
export function rateOf(quote: MinerQuote | null, kind: RateKind): number | undefined {
  if (quote === null) return undefined;
  const rate = kind === 'relay' ? quote.relay?.standard : quote[kind];
  return rate && perThousand(rate);
}

/** The lowest rate of a kind; undefined if there is nothing to compare or all are equal. */
export function cheapest(miners: readonly Miner[], kind: RateKind, now: number): number | undefined {
  const rates = miners
    .filter(({ enabled, quote }) => enabled && quote !== null && quote.expiresAt > now)
    .flatMap(({ quote }) => rateOf(quote, kind) ?? []);
  const lowest = Math.min(...rates);
  return rates.some((rate) => rate > lowest) ? lowest : undefined;
}

export interface PolicyRow {
  /** The name that miners use for it. */
  readonly name: string;
  /** By id of the miner; undefined if it does not state this policy. */
  readonly values: Readonly<Record<string, Policy | undefined>>;
  /** Whether the stated values differ. */
  readonly differs: boolean;
}

/** The policies of all miners, one per row: those that differ first, then by name. */
export function policyRows(miners: readonly Miner[]): PolicyRow[] {
  const names = new Set(miners.flatMap(({ quote }) => Object.keys(quote?.policies ?? {})));
  const rows = [...names].map((name) => {
    const values = Object.fromEntries(miners.map(({ id, quote }) => [id, quote?.policies[name]]));
    const stated = Object.values(values).filter((value) => value !== undefined);
    return { name, values, differs: new Set(stated.map((value) => JSON.stringify(value))).size > 1 };
  });
  return rows.sort((a, b) => Number(b.differs) - Number(a.differs) || (a.name < b.name ? -1 : 1));
}

const inBytes = new Set([
  'maxtxsizepolicy',
  'datacarriersize',
  'maxscriptsizepolicy',
  'maxscriptnumlengthpolicy',
  'maxstackmemoryusagepolicy',
  'maxconsolidationinputscriptsize',
]);
const inMilliseconds = new Set(['maxnonstdtxvalidationduration', 'maxstdtxvalidationduration']);

export function unitOf(name: string): 'bytes' | 'milliseconds' | 'perCent' | 'rate' | 'count' {
  if (inBytes.has(name)) return 'bytes';
  if (name === 'dustlimitfactor') return 'perCent';
  if (name === 'dustrelayfee') return 'rate';
  return inMilliseconds.has(name) ? 'milliseconds' : 'count';
}

/** The ids with one of them moved by a number of places, within the list. */
export function moved(ids: readonly string[], id: string, by: number): string[] {
  const from = ids.indexOf(id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= ids.length) return [...ids];
  const others = ids.filter((other) => other !== id);
  return [...others.slice(0, to), id, ...others.slice(to)];
}
