import type { WriterUsageHour } from '../../../../contract/index.ts';

const HOUR_MS = 3_600_000;
export const CHART_HOURS = 24;
/** More tags than this are drawn as one. */
const TAGS_SHOWN = 5;

/** A tag and what it wrote; `tag` is null for documents without one. */
export interface UsageSeries {
  readonly kind: 'tag' | 'others';
  readonly tag: string | null;
  /** One value an hour, the oldest first. */
  readonly documents: readonly number[];
  readonly bytes: readonly number[];
}

export interface UsageChart {
  /** Start of each hour, in milliseconds. */
  readonly hours: readonly number[];
  readonly series: readonly UsageSeries[];
}

/**
 * The last 24 hours by tag, keys taken together: the tags with most documents on their own, the rest as one series.
 * @param now in milliseconds; its hour is the last one
 */
export function usageChart(rows: readonly WriterUsageHour[], now: number): UsageChart {
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: CHART_HOURS }, (_, index) => last - (CHART_HOURS - 1 - index) * HOUR_MS);
  const byTag = new Map<string | null, { documents: number[]; bytes: number[]; total: number }>();
  for (const row of rows) {
    const index = hours.indexOf(Math.floor(row.hour / HOUR_MS) * HOUR_MS);
    if (index < 0) continue;
    const known = byTag.get(row.tag) ?? { documents: zeros(), bytes: zeros(), total: 0 };
    known.documents[index] = (known.documents[index] ?? 0) + row.documents;
    known.bytes[index] = (known.bytes[index] ?? 0) + row.bytes;
    known.total += row.documents;
    byTag.set(row.tag, known);
  }
  const sorted = [...byTag].sort(([, a], [, b]) => b.total - a.total);
  const alone = sorted.length > TAGS_SHOWN ? TAGS_SHOWN - 1 : TAGS_SHOWN;
  const series: UsageSeries[] = sorted
    .slice(0, alone)
    .map(([tag, { documents, bytes }]) => ({ kind: 'tag', tag, documents, bytes }));
  const rest = sorted.slice(alone).map(([, values]) => values);
  if (rest.length > 0) {
    series.push({
      kind: 'others',
      tag: null,
      documents: hours.map((_, index) => rest.reduce((sum, one) => sum + (one.documents[index] ?? 0), 0)),
      bytes: hours.map((_, index) => rest.reduce((sum, one) => sum + (one.bytes[index] ?? 0), 0)),
    });
  }
  return { hours, series };
}

function zeros(): number[] {
  return new Array<number>(CHART_HOURS).fill(0);
}
