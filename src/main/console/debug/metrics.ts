import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { GatewayStatus, WriterStatus, ZmqCounts } from '../../../contract/index.ts';
import type { CallHistograms, ConsoleContext } from '../context.ts';
import type { Metric, Sample } from './prometheus.ts';

/** Content type of Prometheus' text form. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const EVENT_LOOP_STEP_MS = 10;

/** The figures of the process and of every service that has some, for a Prometheus server to fetch. */
export class Metrics {
  readonly #context: ConsoleContext;
  #eventLoop: ReturnType<typeof monitorEventLoopDelay> | undefined;

  constructor(context: ConsoleContext) {
    this.#context = context;
  }

  async text(): Promise<string> {
    // loaded with the first fetch, since most runs have none
    const { prometheusText } = await import('./prometheus.ts');
    const { gateway, zmq, histograms } = this.#context;
    return prometheusText([
      ...(await this.#application()),
      ...this.#process(),
      ...(gateway === undefined ? [] : [...gatewayMetrics(await gateway.status()), ...callMetrics(histograms())]),
      ...(zmq === undefined ? [] : zmqMetrics(await zmq.counts())),
      ...writerMetrics(await this.#writer()),
    ]);
  }

  /** Ends the measuring that the first fetch began. */
  close(): void {
    this.#eventLoop?.disable();
    this.#eventLoop = undefined;
  }

  async #application(): Promise<Metric[]> {
    const { app, services } = this.#context;
    const { version, network, shell, startedAt } = await app.info();
    return [
      gauge('planchet_info', 'Version and network; always 1.', [{ labels: { version, network, shell }, value: 1 }]),
      gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', one(startedAt / 1_000)),
      gauge(
        'planchet_service_up',
        'Whether a service runs (1) or not (0).',
        (await services.list()).map(({ name, status }) => ({
          labels: { service: name },
          value: status.state === 'running' ? 1 : 0,
        })),
      ),
    ];
  }

  #process(): Metric[] {
    const memory = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      counter('process_cpu_seconds_total', 'Processor time, user and system.', one((user + system) / 1_000_000)),
      gauge('process_resident_memory_bytes', 'Resident memory.', one(memory.rss)),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', one(memory.heapUsed)),
      gauge('nodejs_heap_size_total_bytes', 'Heap taken from the system.', one(memory.heapTotal)),
      gauge('nodejs_external_memory_bytes', 'Memory of buffers and native parts.', one(memory.external)),
      gauge(
        'nodejs_eventloop_lag_seconds',
        'How late the event loop was since the last fetch.',
        this.#eventLoopDelay(),
      ),
    ];
  }

  #eventLoopDelay(): Sample[] {
    if (this.#eventLoop === undefined) {
      this.#eventLoop = monitorEventLoopDelay({ resolution: EVENT_LOOP_STEP_MS });
      this.#eventLoop.enable();
    }
    const delay = this.#eventLoop;
    const samples = [50, 99, 100].map((percent) => {
      // no figure before the first measurement
      const nanoseconds = delay.count === 0 ? 0 : percent === 100 ? delay.max : delay.percentile(percent);
      return { labels: { quantile: String(percent / 100) }, value: nanoseconds / 1e9 };
    });
    delay.reset();
    return samples;
  }

  /** The writer's figures; none if it does not run, since asking would start it. */
  async #writer(): Promise<WriterStatus | undefined> {
    const { writer, services } = this.#context;
    const runs = (await services.list()).some(({ name, status }) => name === 'writer' && status.state === 'running');
    return runs ? (await writer()).status() : undefined;
  }
}

function gatewayMetrics({ upstreams, tip, reorganisations, cache, connections, methods }: GatewayStatus): Metric[] {
  const byMethod = (figure: 'calls' | 'errors' | 'cached'): Sample[] =>
    methods.map(({ method, [figure]: value }) => ({ labels: { method }, value }));
  /** @param unit divides the figure, for example milliseconds into seconds */
  const byUpstream = (figure: 'height' | 'behind' | 'latency' | 'p95' | 'calls' | 'failures', unit = 1): Sample[] =>
    upstreams.flatMap(({ origin: upstream, [figure]: value }) =>
      value === null ? [] : [{ labels: { upstream }, value: value / unit }],
    );
  const where = (memory: number, disk: number): Sample[] => [
    { labels: { where: 'memory' }, value: memory },
    { labels: { where: 'disk' }, value: disk },
  ];
  return [
    counter('planchet_gateway_calls_total', 'Calls by command.', byMethod('calls')),
    counter('planchet_gateway_errors_total', 'Calls answered with an error.', byMethod('errors')),
    counter('planchet_gateway_cached_total', 'Calls answered without one upstream.', byMethod('cached')),
    gauge('planchet_gateway_connections', 'Open connections.', one(connections)),
    counter('planchet_gateway_cache_answers_total', 'Calls by where their answer came from.', [
      { labels: { source: 'cache' }, value: cache.hits },
      { labels: { source: 'shared' }, value: cache.shared },
      { labels: { source: 'local' }, value: cache.local },
      { labels: { source: 'upstream' }, value: cache.misses },
    ]),
    gauge('planchet_gateway_cache_entries', 'Cached answers.', where(cache.entries, cache.diskEntries)),
    gauge('planchet_gateway_cache_bytes', 'Bytes of cached answers.', where(cache.bytes, cache.diskBytes)),
    counter('planchet_gateway_cache_dropped_total', 'Answers dropped because they became untrue.', one(cache.dropped)),
    counter('planchet_gateway_reorganisations_total', 'Reorganisations seen.', one(reorganisations)),
    gauge('planchet_gateway_tip_height', 'Height of the tip.', tip === null ? [] : one(tip.height)),
    gauge('planchet_gateway_tip_age_seconds', 'Since the tip was confirmed.', tip === null ? [] : one(tip.age / 1_000)),
    gauge(
      'planchet_upstream_up',
      'Whether an upstream is asked (1) or left out after failures (0).',
      upstreams.map(({ origin, circuit }) => ({ labels: { upstream: origin }, value: circuit === 'closed' ? 1 : 0 })),
    ),
    gauge('planchet_upstream_height', 'Height that an upstream reports.', byUpstream('height')),
    gauge('planchet_upstream_behind_blocks', 'Blocks behind the best.', byUpstream('behind')),
    gauge('planchet_upstream_latency_seconds', 'Mean latency.', byUpstream('latency', 1_000)),
    gauge('planchet_upstream_p95_seconds', '95 of 100 answers came sooner.', byUpstream('p95', 1_000)),
    counter('planchet_upstream_calls_total', 'Calls to an upstream.', byUpstream('calls')),
    counter('planchet_upstream_failures_total', 'Failed calls to an upstream.', byUpstream('failures')),
  ];
}

function callMetrics({ bounds, byCommand, byKey }: CallHistograms): Metric[] {
  const histogram = (name: string, help: string, label: string, of: CallHistograms['byKey']): Metric => {
    const samples = of.map(({ name, counts, sum }) => ({ labels: { [label]: name }, counts, sum }));
    return { name, help, type: 'histogram', bounds, samples };
  };
  return [
    histogram('planchet_gateway_call_seconds', 'How long calls took, by command.', 'method', byCommand),
    histogram('planchet_gateway_key_call_seconds', 'How long calls took, by the key that called.', 'key', byKey),
  ];
}

function zmqMetrics({ topics, subscribers, waiting, dropped }: ZmqCounts): Metric[] {
  const byTopic = (figure: 'messages' | 'missed' | 'repaired' | 'restarts'): Sample[] =>
    topics.map(({ topic, [figure]: value }) => ({ labels: { topic }, value }));
  return [
    counter('planchet_zmq_messages_total', 'Messages published.', byTopic('messages')),
    counter('planchet_zmq_missed_total', 'Messages of the upstream that never came.', byTopic('missed')),
    counter('planchet_zmq_repaired_total', 'Lost blocks that were published after all.', byTopic('repaired')),
    counter('planchet_zmq_restarts_total', 'Times the upstream started its count again.', byTopic('restarts')),
    gauge('planchet_zmq_subscribers', 'Programs that listen.', one(subscribers)),
    gauge('planchet_zmq_waiting_bytes', 'Bytes queued for slow subscribers.', one(waiting)),
    counter('planchet_zmq_dropped_total', 'Messages left out for subscribers that lag too far behind.', one(dropped)),
  ];
}

function writerMetrics(status: WriterStatus | undefined): Metric[] {
  if (status === undefined) return [];
  const states = Object.entries(status.states).map(([state, value]) => ({ labels: { state }, value }));
  return [
    gauge('planchet_writer_documents', 'Documents by state.', states),
    counter('planchet_writer_accepted_total', 'Documents ever accepted.', one(status.documents)),
    counter('planchet_writer_bytes_total', 'Bytes of documents ever accepted.', one(status.bytes)),
    gauge('planchet_writer_spent_today_satoshis', 'Fees paid today.', one(status.spentToday)),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'counter', samples };
}

function one(value: number): Sample[] {
  return [{ value }];
}
