import { context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { type LiveEvent, mintStates } from '../../contract/index.ts';
import { endsWithin } from '../clock.ts';
import type { Clock } from '../ports/clock.ts';
import type { TracedCall } from '../ports/infrastructure/tracing.ts';

/** How long the last spans may take on their way when the application stops. */
const STOP_LIMIT_MS = 1_000;
/** How often an unreachable collector is logged, at most. */
const WARN_MS = 60_000;
/** Finished jobs that are remembered, so that each is one trace. */
const MAX_TRACED_JOBS = 1_000;

type TracedJob = Extract<LiveEvent, { type: 'job' }>['job'];

export interface TracingOptions {
  /** Address of a collector that takes OTLP over HTTP, without `/v1/traces`. */
  endpoint: string;
  /** Percentage of traces that are sent. */
  samplePercent: number;
  version: string;
  network: string;
  clock: Clock;
  logger: Logger;
}

/**
 * Sends OpenTelemetry traces to a collector: each call through the gateway, and each mint with a span for every state it went through. A span is
 * made when its subject has ended, so nothing is kept meanwhile. Parameters and contents are never part of it.
 */
export class Tracing {
  readonly #tracer: Tracer;
  readonly #provider: TracerProvider;
  readonly #clock: Clock;
  readonly #jobs = new Set<string>();

  private constructor(provider: TracerProvider, version: string, clock: Clock) {
    this.#provider = provider;
    this.#tracer = provider.getTracer('planchet', version);
    this.#clock = clock;
  }

  /** Loads the libraries only now, since most installations never trace. */
  static async start(options: TracingOptions): Promise<Tracing> {
    const { endpoint, samplePercent, version, network, clock } = options;
    const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    const exporter = telling(new OTLPTraceExporter({ url }), url, options);
    const provider = new sdk.TracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'planchet',
        'service.version': version,
        'planchet.network': network,
      }),
      sampler: new sdk.TraceIdRatioBasedSampler(samplePercent / 100),
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
    });
    return new Tracing(provider, version, clock);
  }

  /** A call through the gateway that has been answered. */
  call({ client, method, source, status, milliseconds, reason }: TracedCall): void {
    const ended = this.#clock.now();
    const span = this.#tracer.startSpan(method === '' ? 'call' : method, {
      kind: SpanKind.SERVER,
      startTime: timeOf(ended - milliseconds),
      attributes: {
        'rpc.system': 'jsonrpc',
        'rpc.method': method,
        'http.response.status_code': status,
        'planchet.key': client,
        'planchet.source': source,
      },
    });
    end(span, ended, status === 200 ? undefined : (reason ?? `HTTP ${status}`));
  }

  /** Traces a finished mint; ignores any other. */
  job(job: TracedJob): void {
    const { id, state, failure, active, tokenCount, txid, history, createdAt, updatedAt } = job;
    const ended = mintStates.is(state, 'final') || (failure !== null && !active);
    if (!ended || this.#jobs.has(`${id} ${state}`)) return;
    if (this.#jobs.size >= MAX_TRACED_JOBS) this.#jobs.clear();
    this.#jobs.add(`${id} ${state}`);
    const span = this.#tracer.startSpan('mint', {
      startTime: timeOf(createdAt),
      attributes: { 'planchet.job': id, 'planchet.tokens': tokenCount, 'planchet.txid': txid ?? '' },
    });
    const within = trace.setSpan(context.active(), span);
    let since = createdAt;
    for (const { state: reached, at } of history) {
      this.#tracer.startSpan(reached, { startTime: timeOf(since) }, within).end(timeOf(at));
      since = at;
    }
    end(span, Math.max(updatedAt, since), failure?.message);
  }

  /** Sends what is left, for a second at most. */
  async stop(): Promise<void> {
    await endsWithin(
      this.#provider.shutdown().catch(() => {}),
      STOP_LIMIT_MS,
    );
  }
}

function end(span: Span, at: number, failure: string | undefined): void {
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end(timeOf(at));
}

/** As seconds and nanoseconds: a bare number from before the start of the process would be taken for one since that start. */
function timeOf(ms: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.floor((ms - seconds * 1_000) * 1_000_000)];
}

/** The exporter silently drops spans that it cannot send; this logs the reason. */
function telling(exporter: SpanExporter, url: string, { clock, logger }: TracingOptions): SpanExporter {
  let told = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && clock.now() - told > WARN_MS) {
          told = clock.now();
          logger.warn({ err: result.error, url }, 'traces could not be sent to the collector of otlpEndpoint');
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
