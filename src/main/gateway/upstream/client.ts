import type { Logger } from 'pino';
import { type Network, PlanchetError, parseDuration, type UpstreamHealth } from '../../../contract/index.ts';
import { foreignBounds, parseScanned } from '../../foreign-json.ts';
import { JsonScan } from '../../json-scan.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpc, NodeRpcError } from '../../ports/node.ts';
import type { Endpoints, SettingsView } from '../../ports/settings.ts';
import { acceptRest, acceptRpc, refuseTooManyCalls } from './answers/accepted.ts';
import { begun, hexPieces, piecesOf, readHexAnswer } from './answers/hex-answer.ts';
import { resultOf } from './answers/parse-result.ts';
import { callEach } from './batch.ts';
import { explain, isUnclear, tooLarge } from './errors.ts';
import { HealthMonitor } from './health/health-monitor.ts';
import { type Asked, HttpRequest, type HttpRequestOptions, type HttpResponse, sendRequest } from './http-request.ts';
import { type Upstream, UpstreamPool } from './pool.ts';
import { callHeaders, credentialHeaders } from './request-headers.ts';
import type { AnswerListener, AskOptions, Cancellable, ResponseListener, RestOptions } from './requests.ts';
import { UpstreamRestPaths } from './rest-request.ts';
import { isFinal, noteFailure, UpstreamSelector } from './selection.ts';

/** Of an answer that is decoded while it arrives, so much is waited for at first. */
const FIRST_BYTES = 65_536;

type SendOptions = AskOptions & Pick<HttpRequestOptions, 'bounds' | 'timeoutMs' | 'scan'>;

export interface NodeClientOptions {
  endpoints: () => Endpoints;
  settings: SettingsView;
  network: Network;
  clock: Clock;
  logger: Logger;
  /** The key to send to upstreams whose address contains no user and password. */
  apiKey: () => string | undefined;
}

/**
 * Sends JSON-RPC to the upstream nodes over kept-alive connections. If `bitcoinRpcUrl` names several, the healthiest one is asked. If that
 * one fails, or is slower than in 95 of 100 calls, the next one is asked. No call is sent to the same node twice.
 */
export class NodeClient implements NodeRpc {
  readonly #options: NodeClientOptions;
  readonly #upstreams: UpstreamPool;
  readonly #monitor: HealthMonitor;
  readonly #selector: UpstreamSelector;
  readonly #restBases = new UpstreamRestPaths();
  readonly #onUpstreamsChanged = new Set<() => void>();
  readonly #onProbed = new Set<(best: readonly string[]) => void>();
  readonly #timeoutMs: () => number;
  #nextId = 0;

  constructor(options: NodeClientOptions) {
    this.#options = options;
    this.#upstreams = new UpstreamPool(options.clock);
    this.#timeoutMs = durationOf(() => options.settings.current().bitcoinTimeout, 10_000);
    this.#monitor = new HealthMonitor({
      ...options,
      upstreams: this.#upstreams,
      all: () => this.#inOrder(),
      ask: (upstream, method, params) => this.#callAt(upstream, ...this.#requestOf(method, params), { isProbe: true }),
      onFailure: noteFailure,
      onUpstreamsChanged: () => {
        for (const listener of this.#onUpstreamsChanged) listener();
      },
      onProbed: (best) => {
        for (const listener of this.#onProbed) listener(best);
      },
      waitMs: this.#timeoutMs,
    });
    this.#selector = new UpstreamSelector({ watch: this.#monitor, inOrder: () => this.#inOrder() });
  }

  /**
   * Sends one call.
   * @param options.timeoutMs overrides the setting `bitcoinTimeout`; limits the whole call to one node
   * @throws NodeRpcError with the node's code and message, whatever the HTTP status; PlanchetError `upstream-unreachable`,
   *   `upstream-timeout`, `upstream-error` (not JSON-RPC, truncated, refused credential), `cancelled` by the signal
   */
  async call<T>(
    method: string,
    params: readonly unknown[] = [],
    options: { signal?: AbortSignal; timeoutMs?: number } = {},
  ): Promise<T> {
    const [id, request] = this.#requestOf(method, params);
    return this.#selector.oneAfterTheOther(options.signal, (upstream) =>
      this.#callAt<T>(upstream, id, request, options),
    );
  }

  /** Like {@link call}, for a result that is hex: its bytes. The limit of time is that of {@link ask}. */
  async callBytes(
    method: string,
    params: readonly unknown[] = [],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<Uint8Array> {
    const [id, request] = this.#requestOf(method, params);
    return this.#selector.oneAfterTheOther(signal, (upstream) =>
      this.#send(upstream, request, { signal, wholeBytes: FIRST_BYTES }, (answer) => readHexAnswer(answer, id)),
    );
  }

  /** See {@link callEach}. */
  callEach<T>(
    method: string,
    params: readonly (readonly unknown[])[],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<(T | NodeRpcError)[]> {
    return callEach(this, method, params, signal);
  }

  /** The bytes of a block as they arrive: from a REST path where the next upstream has one. @throws as {@link call}, also while they are read */
  async readBlock(hash: string, { signal }: { signal?: AbortSignal } = {}): Promise<AsyncIterable<Uint8Array>> {
    const options = { signal, wholeBytes: FIRST_BYTES };
    const range = { type: 'application/octet-stream', range: undefined };
    const file = await this.rest(`/block/${hash}.bin`, { ...options, ...range }).catch((error: unknown) => {
      if (!(error instanceof PlanchetError) || error.code !== 'upstream-error') throw error;
      return undefined;
    });
    if (file?.status === 200) return piecesOf(file);
    await file?.rest?.return?.();
    const [id, request] = this.#requestOf('getblock', [hash, 0]);
    return this.#selector.oneAfterTheOther(signal, (upstream) =>
      this.#send(upstream, request, options, (answer) => begun(hexPieces(answer, id))),
    );
  }

  /**
   * Like {@link call}, and also returns the origin of the upstream that answered.
   * @param options.from origin of the only upstream to ask
   */
  async callFrom<T>(
    method: string,
    params: readonly unknown[],
    options: { signal?: AbortSignal; from?: string | undefined },
  ): Promise<{ result: T; origin: string }> {
    const [id, request] = this.#requestOf(method, params);
    const attempt = async (upstream: Upstream) => {
      return { result: await this.#callAt<T>(upstream, id, request, options), origin: upstream.origin };
    };
    const others = options.from === undefined ? [] : this.#inOrder().filter(({ origin }) => origin !== options.from);
    return this.#selector.oneAfterTheOther(options.signal, attempt, others);
  }

  /** Number of configured upstreams. */
  count(): number {
    return this.#upstreams.all().length;
  }

  /** Origins of the upstreams that can be asked and whose heights are believed. */
  believed(): string[] {
    return this.#upstreams.all().flatMap(({ open, height, origin }) => (open || height === null ? [] : [origin]));
  }

  /**
   * Sends a request body unchanged. If the answer has a `rest`, it throws the same errors as this method.
   * `bitcoinTimeout` limits the wait for the answer's head, and then for each further KiB.
   * @param read what is made of the answer. Where it throws PlanchetError (but for BehindError) or the NodeRpcError of a node that is
   *   still starting, that counts as the upstream's failure and the next one is asked.
   * @throws as {@link call}, except NodeRpcError: the node's errors are part of the body
   */
  async ask<T>(body: string, options: AskOptions, read: (answer: Asked) => T | Promise<T>): Promise<T> {
    return this.#selector.hedged(options.signal, (upstream, signal) =>
      this.#send(upstream, body, { ...options, signal }, read),
    );
  }

  /**
   * Sends a request body to the only upstream, or to the best of several with failover and hedging like {@link ask}. The listener is called
   * once, never before this method returns.
   */
  send<T>(body: string, listener: AnswerListener<T>, wholeBytes: number): Cancellable {
    const sent = this.post(body, listener, wholeBytes);
    if (sent !== undefined) return sent;
    const controller = new AbortController();
    this.ask(body, { signal: controller.signal, wholeBytes }, (answer) => listener.read(answer)).then(
      (value) => listener.settle(value),
      (error: unknown) => listener.failed(error),
    );
    return { abort: () => controller.abort() };
  }

  /**
   * Like {@link ask} with a single upstream, but without a promise.
   * @returns a handle that cancels the call; undefined if {@link ask} has to choose or wait. Then nothing was sent, and the listener is
   *   not called
   */
  post(body: string, listener: ResponseListener, wholeBytes: number): Cancellable | undefined {
    try {
      const upstream = this.#upstreams.only(...this.#setting());
      if (upstream === undefined || upstream.open) return undefined;
      const headers = callHeaders(upstream, this.#options);
      const timeoutMs = this.#timeoutMs();
      const failed = (error: unknown): void => {
        const told = explain(error, upstream.origin, timeoutMs);
        // the calls of a list are sent again one by one, which shows whether the upstream fails
        if (listener.list === true && isUnclear(told)) upstream.released();
        else noteFailure(upstream, told);
        listener.failed(told);
      };
      const answered = (answer: HttpResponse): void => {
        try {
          refuseTooManyCalls(upstream.origin, answer, this.#options.clock.now());
          listener.answered(acceptRpc(upstream.origin, answer, listener.list, timeoutMs));
        } catch (error) {
          failed(error);
          return;
        }
        upstream.answered(answer.latency);
      };
      const request = new HttpRequest({ timeoutMs, wholeBytes, bounds: 'piece', signal: undefined }, answered, failed);
      upstream.queue.send({ method: 'POST', path: upstream.path, headers, body }, request);
      return request;
    } catch {
      // nothing was sent; `ask` reports what is wrong with the settings
      return undefined;
    }
  }

  /**
   * Reads a REST path from the next upstream, if that one has REST paths.
   * @param path below `/rest`
   * @returns the node's answer, which may be a refusal as text; undefined if the upstream has no REST paths
   * @throws as {@link ask}
   */
  async rest(path: string, options: RestOptions): Promise<Asked | undefined> {
    return this.#selector.oneAfterTheOther(options.signal, (upstream) => this.#restAt(upstream, path, options));
  }

  health(): UpstreamHealth[] {
    this.#inOrder();
    const best = this.#upstreams.bestHeight();
    return this.#upstreams.all().map((upstream) => upstream.health(best));
  }

  /** Whether an upstream on the network's chain was found. Also true without any upstream, because nothing can be found out then. */
  isOnChain(): boolean {
    const all = this.#upstreams.all();
    return all.some(({ onChain }) => onChain) || (all.length === 0 && this.#setting()[0].trim() === '');
  }

  /** Calls `listener` when earlier answers may belong to another chain and must be forgotten. @returns a function that removes it */
  onUpstreamsChanged(listener: () => void): () => void {
    this.#onUpstreamsChanged.add(listener);
    return () => this.#onUpstreamsChanged.delete(listener);
  }

  /** Calls `listener` after each probe of the upstreams, with the best block of each that answered. @returns a function that removes it */
  onProbed(listener: (best: readonly string[]) => void): () => void {
    this.#onProbed.add(listener);
    return () => this.#onProbed.delete(listener);
  }

  /** See {@link NodeRpc.name}; the one that is asked first comes first. */
  get name(): string {
    return this.#inOrder()
      .map(({ origin }) => origin)
      .join(', ');
  }

  /** Probes the chain and height of the upstreams from time to time. @returns a function that stops it */
  watch(): () => void {
    return this.#monitor.start();
  }

  /** Probes all upstreams now. */
  async measure(): Promise<void> {
    await this.#monitor.probeAll();
  }

  /** Closes every connection; pending calls fail with `upstream-unreachable`. */
  async close(): Promise<void> {
    await this.#upstreams.close();
  }

  #inOrder(): readonly Upstream[] {
    return this.#upstreams.inOrder(...this.#setting());
  }

  #setting(): [list: string, ignoreCertificate: boolean] {
    return [this.#options.endpoints().bitcoinRpcUrl, this.#options.settings.current().ignoreCertificate];
  }

  #requestOf(method: string, params: readonly unknown[]): [id: number, request: string] {
    const id = this.#nextId++;
    return [id, JSON.stringify({ jsonrpc: '1.0', id, method, params })];
  }

  async #callAt<T>(
    upstream: Upstream,
    id: number,
    request: string,
    options: { signal?: AbortSignal; timeoutMs?: number; isProbe?: boolean },
  ): Promise<T> {
    const { origin } = upstream;
    const scan = new JsonScan(foreignBounds.nodeAnswer);
    const { bytes: wholeBytes } = foreignBounds.nodeAnswer;
    const { signal, timeoutMs = this.#timeoutMs() } = options;
    const answer = await this.#post(upstream, request, { signal, wholeBytes, bounds: 'whole', scan, timeoutMs });
    if (answer.rest !== undefined) {
      await answer.rest.return?.();
      throw tooLarge(origin, wholeBytes);
    }
    try {
      const result = resultOf<T>(await parseScanned(answer.bytes, scan), id, answer.status, origin);
      upstream.answered(answer.latency, options.isProbe);
      return result;
    } catch (error) {
      if (isFinal(error)) upstream.answered(answer.latency, options.isProbe);
      throw error;
    }
  }

  async #send<T>(
    upstream: Upstream,
    body: string,
    options: AskOptions,
    read: (answer: Asked) => T | Promise<T>,
  ): Promise<T> {
    const timeoutMs = this.#timeoutMs();
    const answer = await this.#post(upstream, body, { ...options, bounds: 'piece', timeoutMs });
    const value = read(acceptRpc(upstream.origin, answer, options.list, timeoutMs));
    upstream.answered(answer.latency);
    return value;
  }

  async #restAt(upstream: Upstream, path: string, options: RestOptions): Promise<Asked | undefined> {
    const timeoutMs = this.#timeoutMs();
    const base = await this.#restBases.of(upstream, (probed) =>
      this.#get(upstream, probed, { signal: undefined, wholeBytes: options.wholeBytes, timeoutMs }),
    );
    if (base === undefined) return undefined;
    const answer = await this.#get(upstream, base + path, { ...options, timeoutMs }, options.range);
    if (answer.status === 404 && answer.bytes.length === 0) {
      this.#restBases.none(upstream);
      return undefined;
    }
    const accepted = await acceptRest(upstream.origin, answer, options.type, timeoutMs);
    upstream.answered(answer.latency);
    return accepted;
  }

  #post(upstream: Upstream, body: string, options: SendOptions): Promise<HttpResponse> {
    return this.#sendRequest(upstream, options, (request) => {
      const headers = callHeaders(upstream, this.#options);
      upstream.queue.send({ method: 'POST', path: upstream.path, headers, body }, request);
    });
  }

  #get(upstream: Upstream, path: string, options: Omit<SendOptions, 'bounds'>, range?: string): Promise<HttpResponse> {
    const headers = { ...(range && { range }), ...credentialHeaders(upstream, this.#options) };
    const query = upstream.path.slice(upstream.path.split('?', 1)[0]?.length);
    return this.#sendRequest(upstream, { ...options, bounds: 'piece' }, (handler) => {
      upstream.pool.dispatch({ method: 'GET', path: path + query, headers }, handler);
    });
  }

  async #sendRequest(
    { origin }: Upstream,
    options: SendOptions,
    dispatch: HttpRequestOptions['dispatch'],
  ): Promise<HttpResponse> {
    const { signal, wholeBytes, bounds, timeoutMs, json } = options;
    const scan = options.scan ?? (json && new JsonScan(json));
    const sent = sendRequest({ dispatch, signal, wholeBytes, bounds, timeoutMs, scan });
    const answer = await sent.catch((error: unknown) => {
      throw explain(error, origin, timeoutMs);
    });
    refuseTooManyCalls(origin, answer, this.#options.clock.now());
    return answer;
  }
}

/**
 * Reads a duration of the settings. Every call needs it, so it is parsed only when it changes.
 * @param otherwise milliseconds where the setting is 0 or no duration
 * @returns a getter, in milliseconds
 */
export function durationOf(setting: () => string, otherwise: number): () => number {
  let known = '';
  let ms = otherwise;
  return () => {
    const text = setting();
    if (text !== known) ms = parseDuration(text) || otherwise;
    known = text;
    return ms;
  };
}
