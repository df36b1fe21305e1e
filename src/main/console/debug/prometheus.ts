import { Counter, Gauge, type Metric as PromMetric, Registry } from 'prom-client';

export type Metric =
  | {
      readonly name: string;
      readonly help: string;
      readonly type: 'counter' | 'gauge';
      readonly samples: readonly Sample[];
    }
  | {
      readonly name: string;
      readonly help: string;
      readonly type: 'histogram';
      readonly bounds: readonly number[];
      readonly samples: readonly HistogramSample[];
    };

type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

interface HistogramSample {
  readonly labels: Labels;
  /** One count for each bucket (not cumulative), and one for values above the last bound. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/**
 * Metrics in Prometheus' text format; a metric without samples is left out. The services count their own figures, and each fetch fills a new
 * registry, so that metrics cost nothing unless they are fetched.
 */
export async function prometheusText(metrics: readonly Metric[]): Promise<string> {
  const registry = new Registry();
  for (const metric of metrics) {
    if (metric.samples.length === 0) continue;
    if (metric.type === 'histogram') registry.registerMetric(histogramOf(metric));
    else fill(metric, registry);
  }
  return registry.metrics();
}

function fill({ name, help, type, samples }: Exclude<Metric, { type: 'histogram' }>, registry: Registry): void {
  const labelNames = Object.keys(samples[0]?.labels ?? {});
  const options = { name, help, labelNames, registers: [registry] };
  const metric = type === 'counter' ? new Counter(options) : new Gauge(options);
  for (const { labels = {}, value } of samples) metric.inc(labels, value);
}

/** The library's own histogram counts single observations; this one takes finished counts. */
function histogramOf({ name, help, bounds, samples }: Extract<Metric, { type: 'histogram' }>): PromMetric {
  const values = samples.flatMap(({ labels, counts, sum }) => {
    let passed = 0;
    const buckets = [...bounds, '+Inf'].map((le, index) => {
      passed += counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: passed };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: passed },
    ];
  });
  return {
    name,
    get: async () => ({ name, help, type: 'histogram', values, aggregator: 'sum' }),
  } as unknown as PromMetric;
}
