import {
  type CallBodies,
  type Failure,
  type GatewayCall,
  type GatewayStatus,
  type MethodHistory,
  OWN_CALLER,
  PlanchetError,
  type Traffic,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TracedCall } from '../../ports/infrastructure/tracing.ts';
import { findMethod, isRead } from '../methods/method-registry.ts';
import { CALL_BUCKETS, type CallCounts, CallHistogram } from './call-histogram.ts';
import { copyOf, KeptTexts } from './kept-texts.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { MASK, maskSecrets } from './mask-secrets.ts';
import { RingStream } from './ring-stream.ts';
import { TotalTraffic } from './total-traffic.ts';
import { isCut, TrafficRing } from './traffic-ring.ts';

const RATE_SECONDS = 60;
const MAX_METHODS = 64;
/** Most clients with their own histogram. Further clients share one. */
const MAX_CALLERS = 256;
const OTHER_CALLERS = 'others';
/** Most characters of parameters that are kept in full. */
const LONGEST_PARAMS = 1_048_576;
/** Most characters of all kept parameters, and of all kept answers. */
const MOST_CHARACTERS = 16 * 1_048_576;
const CALLS_WITH_PARAMS = 5_000;
const CALLS_WITH_ANSWERS = 500;
/** Characters of an answer that are kept. */
export const LONGEST_ANSWER = 65_536;
/** The charts: length of a step, number of steps, and number of methods. */
const CHART_STEP_MS = 5_000;
const CHART_STEPS = 60;
const CHART_METHODS = 12;

export interface CallFigures {
  readonly source: GatewayCall['source'];
  /** Value of `performance.now()` at the start. */
  readonly started: number;
  readonly bytes: number;
  readonly status: number;
  /** Why the call was refused or failed. */
  readonly reason?: string | undefined;
  /** The same as an entry of the error catalogue, if it is one. */
  readonly failure?: Failure | undefined;
  /** The body of the answer; left out if it is streamed or binary. */
  readonly answer?: string | undefined;
}

/** The result of {@link TrafficLog.histograms}. */
interface GatewayHistograms {
  /** Upper bounds of the buckets, in seconds. */
  readonly bounds: readonly number[];
  readonly byCommand: readonly (CallCounts & { readonly name: string })[];
  readonly byKey: readonly (CallCounts & { readonly name: string })[];
}

interface Method {
  calls: number;
  errors: number;
  cached: number;
  readonly times: LatencyHistogram;
  readonly histogram: CallHistogram;
  /** The latencies of the current step. `history` holds the earlier steps, oldest first. */
  readonly stepTimes: LatencyHistogram;
  step: number;
  history: Step[];
  /** Number of calls in each of the last seconds. */
  readonly seconds: Uint32Array;
  second: number;
}

interface Step {
  readonly step: number;
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
}

/** Counts every call and shows the newest ones in live views. Its memory is bounded, however many calls there are. */
export class TrafficLog {
  readonly #clock: Clock;
  readonly #methods = new Map<string, Method>();
  readonly #callers = new Map<string, CallHistogram>();
  readonly #total = new TotalTraffic(CHART_STEP_MS, CHART_STEPS);
  readonly #watchers = new Set<RingStream<GatewayCall, Traffic>>();
  readonly #ring = new TrafficRing();
  /** Parameters that are too long to be shown. */
  readonly #longParams = new KeptTexts({ calls: CALLS_WITH_PARAMS, characters: MOST_CHARACTERS });
  /** Answers up to one character more than is shown. */
  readonly #answers = new KeptTexts({ calls: CALLS_WITH_ANSWERS, characters: MOST_CHARACTERS });
  readonly #trace: ((call: TracedCall) => void) | undefined;
  readonly #keepsBodies: () => boolean;

  /**
   * @param trace receives every call; undefined if tracing is off
   * @param keepsBodies whether answers, and parameters too long for the list, may be kept
   */
  constructor(clock: Clock, trace?: (call: TracedCall) => void, keepsBodies: () => boolean = () => true) {
    this.#clock = clock;
    this.#trace = trace;
    this.#keepsBodies = keepsBodies;
  }

  /**
   * Records a call that was answered or refused.
   * @param caller name of the client
   * @param method empty if the call was refused before it was read; truncated if there is no such command
   * @param params all parameters as JSON; they are truncated here
   */
  record(caller: string, method: string, params: string, figures: CallFigures): void {
    const { started, source, bytes, status, reason = null, failure = null, answer } = figures;
    const at = this.#clock.now();
    const milliseconds = performance.now() - started;
    const number = this.#ring.add({ at, caller, method, params, source, milliseconds, bytes, status, reason, failure });
    if (this.#keepsBodies()) {
      if (isCut(params) && params.length <= LONGEST_PARAMS) this.#longParams.add(number, copyOf(params));
      if (answer !== undefined) {
        const isLong = answer.length > LONGEST_ANSWER;
        this.#answers.add(number, isLong ? copyOf(answer.slice(0, LONGEST_ANSWER + 1)) : answer);
      }
    }
    // Calls of unknown commands must not use up the limited number of methods.
    if (source !== 'refused' || findMethod(method) !== undefined) this.#count(method, status, source, milliseconds, at);
    if (source !== 'refused') this.#callerOf(caller).record(milliseconds);
    if (caller !== OWN_CALLER) this.#total.record(at, source, status, milliseconds);
    this.#trace?.({ client: caller, method, source, status, milliseconds, reason });
    for (const watcher of this.#watchers) watcher.wake();
  }

  /**
   * All parameters of a call in the traffic.
   * @throws PlanchetError `not-found` if they are no longer stored, or were too long to store
   */
  params(number: number): string {
    const shown = this.#ring.get(number);
    const params = this.#longParams.get(number) ?? (shown?.paramsCut === false ? shown.params : undefined);
    if (params !== undefined) return maskSecrets(shown?.method ?? '', params, 'params');
    throw new PlanchetError('gateway.parameters-gone', {
      each: LONGEST_PARAMS / 1_048_576,
      total: MOST_CHARACTERS / 1_048_576,
    });
  }

  /**
   * What a call sent and was answered, with secrets masked. Nothing is shown while the setting is off, whatever was kept before.
   * @throws PlanchetError `not-found` if the call is no longer in memory
   */
  bodies(number: number): CallBodies {
    const call = this.#ring.get(number);
    if (call === undefined) throw new PlanchetError('gateway.call-gone');
    const { method } = call;
    const asked = { method, isRead: isRead(method) };
    if (!this.#keepsBodies()) {
      this.#answers.clear();
      this.#longParams.clear();
      return { ...asked, kept: 'off', params: null, answer: null, answerCut: false, masked: false };
    }
    const sent = this.#longParams.get(number) ?? (call.paramsCut ? undefined : call.params);
    const params = sent === undefined ? null : maskSecrets(method, sent, 'params');
    const found = this.#answers.get(number);
    const answer = found === undefined ? null : maskSecrets(method, found.slice(0, LONGEST_ANSWER), 'answer');
    const masked = params?.includes(MASK) === true || answer?.includes(MASK) === true;
    const kept = found === undefined ? 'not' : 'whole';
    return { ...asked, kept, params, answer, answerCut: (found?.length ?? 0) > LONGEST_ANSWER, masked };
  }

  /** What a call sent, to send it again. @throws PlanchetError as {@link params} */
  sent(number: number): { method: string; params: string; masked: boolean } {
    const params = this.params(number);
    const method = this.#ring.get(number)?.method ?? '';
    if (method === '') throw new PlanchetError('gateway.call-gone');
    return { method, params, masked: params.includes(MASK) };
  }

  /** Rate and latency of the methods that were called most in the last five minutes. */
  history(): MethodHistory {
    const now = this.#clock.now();
    const current = Math.floor(now / CHART_STEP_MS);
    const from = current - CHART_STEPS + 1;
    const each = [...this.#methods].map(([method, figures]) => {
      turnStepTo(figures, current);
      const running = stepOf(figures);
      const known = new Map(
        [...figures.history, ...(running === undefined ? [] : [running])].map((step) => [step.step, step]),
      );
      const steps = Array.from({ length: CHART_STEPS }, (_, index) => known.get(from + index));
      const recent = steps.reduce((sum, step) => sum + (step?.calls ?? 0), 0);
      return { method, steps, recent, calls: figures.calls };
    });
    const busiest = each.sort((a, b) => b.recent - a.recent || b.calls - a.calls).slice(0, CHART_METHODS);
    return {
      from: from * CHART_STEP_MS,
      stepMs: CHART_STEP_MS,
      total: this.#total.read(now),
      methods: busiest.map(({ method, steps }) => ({
        method,
        rate: steps.map((step) => (step === undefined ? 0 : step.calls / (CHART_STEP_MS / 1_000))),
        p50: steps.map((step) => step?.p50 ?? null),
        p99: steps.map((step) => step?.p99 ?? null),
      })),
    };
  }

  methods(): GatewayStatus['methods'] {
    const now = Math.floor(this.#clock.now() / 1_000);
    return [...this.#methods].map(([method, figures]) => {
      turnTo(figures, now);
      const recent = figures.seconds.reduce((sum, count) => sum + count, 0);
      // rounded to microseconds, because cached answers take only a few
      const time = (part: number): number => Math.round(figures.times.quantile(part) * 1_000) / 1_000;
      const { calls, errors, cached } = figures;
      const rate = Math.round((recent / RATE_SECONDS) * 100) / 100;
      return { method, calls, errors, cached, rate, p50: time(0.5), p99: time(0.99) };
    });
  }

  /** Durations since the start, by command and by the client's key. Refused calls are not counted for a client. */
  histograms(): GatewayHistograms {
    const read = (of: Iterable<[string, CallHistogram]>): GatewayHistograms['byCommand'] =>
      [...of].map(([name, histogram]) => ({ name, ...histogram.read() }));
    const methods = [...this.#methods].map(([name, { histogram }]): [string, CallHistogram] => [name, histogram]);
    return { bounds: CALL_BUCKETS, byCommand: read(methods), byKey: read(this.#callers) };
  }

  /** Streams the newest calls, then new ones, in steps, each oldest first. @param signal ends the stream */
  watch(signal: AbortSignal | undefined): AsyncIteratorObject<Traffic, undefined, void> {
    const watcher = new RingStream<GatewayCall, Traffic>({
      range: () => this.#ring.range,
      read: (from, most) => this.#ring.read(from, most),
      step: (calls, skipped) => ({ calls, skipped }),
      onClose: () => this.#watchers.delete(watcher),
      signal,
    });
    if (!watcher.steps.closed) this.#watchers.add(watcher);
    return watcher.steps;
  }

  close(): void {
    for (const { steps } of [...this.#watchers]) steps.close();
  }

  #callerOf(name: string): CallHistogram {
    const known = this.#callers.get(name);
    if (known !== undefined) return known;
    const key = this.#callers.size < MAX_CALLERS ? name : OTHER_CALLERS;
    const made = this.#callers.get(key) ?? new CallHistogram();
    this.#callers.set(key, made);
    return made;
  }

  #count(method: string, status: number, source: GatewayCall['source'], milliseconds: number, at: number): void {
    let figures = this.#methods.get(method);
    if (figures === undefined) {
      if (this.#methods.size >= MAX_METHODS) return;
      figures = {
        calls: 0,
        errors: 0,
        cached: 0,
        times: new LatencyHistogram(),
        histogram: new CallHistogram(),
        stepTimes: new LatencyHistogram(),
        step: Math.floor(at / CHART_STEP_MS),
        history: [],
        seconds: new Uint32Array(RATE_SECONDS),
        second: Math.floor(at / 1_000),
      };
      this.#methods.set(method, figures);
    }
    figures.calls += 1;
    if (status !== 200) figures.errors += 1;
    if (source === 'cache' || source === 'shared' || (source === 'local' && status === 200)) figures.cached += 1;
    figures.times.record(milliseconds);
    figures.histogram.record(milliseconds);
    turnStepTo(figures, Math.floor(at / CHART_STEP_MS));
    figures.stepTimes.record(milliseconds);
    const second = Math.floor(at / 1_000);
    turnTo(figures, second);
    figures.seconds[second % RATE_SECONDS] = (figures.seconds[second % RATE_SECONDS] as number) + 1;
  }
}

function turnTo(figures: Method, second: number): void {
  for (let at = figures.second + 1; at <= second && at <= figures.second + RATE_SECONDS; at++) {
    figures.seconds[at % RATE_SECONDS] = 0;
  }
  figures.second = Math.max(figures.second, second);
}

/** The figures of the current step; undefined if it has no calls. */
function stepOf({ step, stepTimes: times }: Method): Step | undefined {
  if (times.count === 0) return undefined;
  return { step, calls: times.count, p50: times.quantile(0.5), p99: times.quantile(0.99) };
}

/** Closes the current step if a later one has begun. */
function turnStepTo(figures: Method, step: number): void {
  if (step <= figures.step) return;
  const { stepTimes: times } = figures;
  const ended = stepOf(figures);
  if (ended !== undefined) figures.history.push(ended);
  times.reset();
  while (figures.history[0] !== undefined && figures.history[0].step < step - CHART_STEPS) figures.history.shift();
  figures.step = step;
}
