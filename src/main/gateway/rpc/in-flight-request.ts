import { randomBytes } from 'node:crypto';
import type { RpcCall } from '../messages/message.ts';
import { readUpstream, type UpstreamAnswer } from '../upstream/answers/response.ts';
import { type Asked, CancelledError } from '../upstream/http-request.ts';
import type { AnswerListener, Cancellable, ResponseListener } from '../upstream/requests.ts';
import { type BatchEntry, RequestBatcher, type RequestSender } from './request-batcher.ts';

/** Answers up to this size are read and checked as a whole before they are passed on; larger ones are streamed. */
const WHOLE_BYTES = 256 * 1024;

export interface UpstreamCallsOptions {
  /** Sends a request to the upstream, or to the best of several. */
  send: (body: string, listener: AnswerListener<UpstreamAnswer>, wholeBytes: number) => Cancellable;
  /** Sends a batch. @returns undefined if several upstreams are set or the only one is not ready; nothing was sent then */
  post: (body: string, listener: ResponseListener, wholeBytes: number) => Cancellable | undefined;
  /**
   * Compares an answer with the tip that clients have seen. @param origin of the upstream that gave it
   * @throws BehindError if that upstream lacks blocks for it
   */
  check: CheckAnswer;
  /** Whether small calls that wait at the same time may go upstream in one batch. */
  batching: boolean;
}

export type CheckAnswer = (
  call: Pick<RpcCall, 'method' | 'paramsText'>,
  answer: UpstreamAnswer,
  origin: string,
) => UpstreamAnswer | Promise<UpstreamAnswer>;

/** Waits for the answer to a call. One of the two methods is called once, and never before `subscribe` has returned. */
export interface Subscriber {
  /** @param source `shared` if the call was already pending */
  onAnswer(answer: UpstreamAnswer, source: 'upstream' | 'shared'): void;
  onFailure(error: unknown): void;
}

/** The pending upstream calls. The same call from several clients is sent once. */
export class UpstreamCalls {
  readonly #options: UpstreamCallsOptions;
  readonly #requestId = `"planchet-${randomBytes(16).toString('hex')}"`;
  /** By key; of equal calls the newest. */
  readonly #inFlight = new Map<string, InFlightRequest>();
  readonly #sender: RequestSender;
  readonly #common: InFlightContext;
  started = 0;
  shared = 0;

  constructor(options: UpstreamCallsOptions) {
    this.#options = options;
    const sendSingle = (request: BatchEntry): void => this.#sendSingle(request as InFlightRequest);
    const cancelled = (): Error => new CancelledError('nobody waits any more');
    this.#sender = options.batching
      ? new RequestBatcher({ requestId: this.#requestId, post: options.post, sendSingle, cancelled })
      : { send: sendSingle, learn: () => {} };
    this.#common = {
      requestId: this.#requestId,
      check: options.check,
      ended: (request) => {
        if (this.#inFlight.get(request.key) === request) this.#inFlight.delete(request.key);
      },
      answeredSingle: (request, origin, answer) => this.#sender.learn(request.method, origin, answer),
    };
  }

  /**
   * Sends a call, or joins an equal pending one.
   * @param key equal for equivalent calls
   * @param generation of the chain; a call sent under another generation is not joined
   */
  subscribe(call: RpcCall, key: string, generation: number, subscriber: Subscriber): Subscription {
    const current = this.#inFlight.get(key);
    const joined = current !== undefined && current.generation === generation && !current.cancelled;
    const again = (): InFlightRequest => this.#start(call, key, generation);
    return new Subscription(this, subscriber, joined ? current : again(), joined ? again : undefined);
  }

  #start(call: RpcCall, key: string, generation: number): InFlightRequest {
    this.started += 1;
    const request = new InFlightRequest(call, key, generation, this.#common);
    this.#inFlight.set(key, request);
    this.#sender.send(request);
    return request;
  }

  #sendSingle(request: InFlightRequest): void {
    const { method, paramsText } = request;
    const body = `{"jsonrpc":"1.0","id":${this.#requestId},"method":"${method}","params":${paramsText}}`;
    const sent = this.#options.send(body, request, WHOLE_BYTES);
    request.cancel = () => sent.abort(new CancelledError('nobody waits any more'));
  }
}

interface InFlightContext {
  readonly requestId: string;
  readonly check: CheckAnswer;
  ended(request: InFlightRequest): void;
  /** Called when a call that was sent alone was answered. @param origin of the upstream */
  answeredSingle(request: InFlightRequest, origin: string, answer: UpstreamAnswer & { kind: 'result' }): void;
}

/** A pending call and its subscribers. */
class InFlightRequest implements AnswerListener<UpstreamAnswer>, BatchEntry {
  readonly key: string;
  readonly method: string;
  readonly paramsText: string;
  readonly generation: number;
  readonly #common: InFlightContext;
  readonly #subscriptions: Subscription[] = [];
  #waiting = 0;
  #ended = false;
  cancelled = false;
  cancel: () => void = () => {};
  onEnded: () => void = () => {};

  constructor({ method, paramsText }: RpcCall, key: string, generation: number, common: InFlightContext) {
    this.key = key;
    this.method = method;
    this.paramsText = paramsText;
    this.generation = generation;
    this.#common = common;
  }

  join(subscription: Subscription): void {
    this.#subscriptions.push(subscription);
    this.#waiting += 1;
  }

  /** Removes a subscriber. The call is cancelled only if no other subscriber waits for it. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0 || this.#ended) return;
    this.cancelled = true;
    this.cancel();
  }

  answered(asked: Asked): void {
    const answer = readUpstream(asked, this.#common.requestId);
    if (answer.kind === 'result') this.#common.answeredSingle(this, asked.origin, answer);
    this.onAnswer(answer, asked.origin);
  }

  read(asked: Asked): UpstreamAnswer | Promise<UpstreamAnswer> {
    return this.#common.check(this, readUpstream(asked, this.#common.requestId), asked.origin);
  }

  failed(error: unknown): void {
    this.#end();
    for (const subscription of this.#subscriptions) subscription.onFailure(error);
  }

  onAnswer(answer: UpstreamAnswer, origin: string): void {
    try {
      const checked = this.#common.check(this, answer, origin);
      if (!(checked instanceof Promise)) this.settle(checked);
      else {
        checked.then(
          (sound) => this.settle(sound),
          (error: unknown) => this.failed(error),
        );
      }
    } catch (error) {
      this.failed(error);
    }
  }

  /** Handles an answer that was checked. */
  settle(answer: UpstreamAnswer): void {
    this.#end();
    for (const subscription of this.#subscriptions) subscription.onAnswer(answer);
  }

  #end(): void {
    this.#ended = true;
    this.#common.ended(this);
    this.onEnded();
  }
}

export class Subscription {
  readonly #calls: UpstreamCalls;
  readonly #subscriber: Subscriber;
  #request: InFlightRequest;
  /** Sends the call for this subscriber alone. Set while it waits for the call of another one. */
  #again: (() => InFlightRequest) | undefined;
  #left = false;
  #flowing: { discard(): void } | undefined;

  constructor(
    calls: UpstreamCalls,
    subscriber: Subscriber,
    request: InFlightRequest,
    again: (() => InFlightRequest) | undefined,
  ) {
    this.#calls = calls;
    this.#subscriber = subscriber;
    this.#request = request;
    this.#again = again;
    request.join(this);
  }

  /** The client has left. The subscriber is still called, and a streamed answer ends. */
  cancel(): void {
    if (this.#left) return;
    this.#left = true;
    if (this.#flowing === undefined) this.#request.leave();
    else this.#flowing.discard();
  }

  onAnswer(answer: UpstreamAnswer): void {
    const again = this.#again;
    if (again === undefined) {
      if (answer.kind === 'flowing') {
        this.#flowing = answer;
        // the call went on for those who joined it; they send it again
        if (this.#left) answer.discard();
      }
      this.#subscriber.onAnswer(answer, 'upstream');
      return;
    }
    if (answer.kind !== 'flowing') {
      this.#calls.shared += 1;
      this.#subscriber.onAnswer(answer, 'shared');
      return;
    }
    // a stream has only one reader
    this.#again = undefined;
    this.#request = again();
    this.#request.join(this);
    if (this.#left) this.#request.leave();
  }

  onFailure(error: unknown): void {
    this.#subscriber.onFailure(error);
  }
}
