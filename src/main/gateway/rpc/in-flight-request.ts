import { randomBytes } from 'node:crypto';
import type { PostWaiting } from '../upstream/buffered-request.ts';
import type { Asked, AskOptions } from '../upstream/client.ts';
import { GivenUpError } from '../upstream/http-request.ts';
import { readUpstream, readWhole, type UpstreamAnswer } from '../upstream/response.ts';
import { type Entry, FlightBook } from './in-flight-map.ts';
import type { RpcCall } from './message.ts';
import { FlightGroups, type Traveller } from './request-batcher.ts';

/** Answers up to this size are read whole and checked before a byte of them is sent on; larger ones flow through. */
const WHOLE_BYTES = 256 * 1024;

export interface FlightsOptions {
  ask: <T>(body: string, options: AskOptions, read: (answer: Asked) => T | Promise<T>) => Promise<T>;
  /** The same without a promise. @returns undefined where that cannot be; nothing was sent then, and nobody is told */
  post: (body: string, waiting: PostWaiting, wholeBytes: number) => { abort(reason: Error): void } | undefined;
  /**
   * Holds an answer against the tip that was told. @param origin of the upstream that gave it
   * @throws BehindError where that upstream lacks blocks for it
   */
  check: CheckAnswer;
}

export type CheckAnswer = (
  call: Pick<RpcCall, 'method' | 'paramsText'>,
  answer: UpstreamAnswer,
  origin: string,
) => UpstreamAnswer | Promise<UpstreamAnswer>;

/** Who waits for what a call brings. One of the two is called, once, and never before boarding has returned. */
export interface Passenger {
  /** @param source `shared` where the call was under way already */
  landed(answer: UpstreamAnswer, source: 'upstream' | 'shared'): void;
  lost(error: unknown): void;
}

/** The calls that are under way upstream. The same call from several callers goes there once. */
export class Flights {
  readonly #options: FlightsOptions;
  readonly #mark = `"planchet-${randomBytes(16).toString('hex')}"`;
  readonly #under = new FlightBook<Flight>();
  readonly #groups: FlightGroups;
  readonly #common: FlightCommon;
  launched = 0;
  shared = 0;

  constructor(options: FlightsOptions) {
    this.#options = options;
    this.#groups = new FlightGroups({
      mark: this.#mark,
      post: options.post,
      alone: (flight) => this.#alone(flight as Flight),
      givenUp: () => new GivenUpError('nobody waits any more'),
    });
    this.#common = {
      mark: this.#mark,
      check: options.check,
      ended: (flight) => this.#under.take(flight),
      alone: (flight, origin, answer) => this.#groups.learn(flight.method, origin, answer),
    };
  }

  /**
   * Sends a call, or joins the same one.
   * @param key the same for calls that mean the same
   * @param generation of the chain; what was asked under another is not joined
   */
  board(call: RpcCall, key: string, generation: number, passenger: Passenger): Boarding {
    const under = this.#under.get(key);
    const joined = under !== undefined && under.generation === generation && !under.givenUp;
    const again = (): Flight => this.#launch(call, key, generation);
    return new Boarding(this, passenger, joined ? under : again(), joined ? again : undefined);
  }

  #launch(call: RpcCall, key: string, generation: number): Flight {
    this.launched += 1;
    const flight = new Flight(call, key, generation, this.#common);
    this.#under.put(flight);
    this.#groups.send(flight);
    return flight;
  }

  #alone(flight: Flight): void {
    const { method, paramsText } = flight;
    const request = `{"jsonrpc":"1.0","id":${this.#mark},"method":"${method}","params":${paramsText}}`;
    const posted = this.#options.post(request, flight, WHOLE_BYTES);
    if (posted !== undefined) {
      flight.onEmpty = () => posted.abort(new GivenUpError('nobody waits any more'));
      return;
    }
    const abort = new AbortController();
    flight.onEmpty = () => abort.abort();
    this.#options
      .ask(request, { signal: abort.signal, wholeBytes: WHOLE_BYTES }, (asked) =>
        this.#options.check(flight, readUpstream(asked, this.#mark), asked.origin),
      )
      .then(
        (answer) => flight.settle(answer),
        (error: unknown) => flight.failed(error),
      );
  }
}

/** What all flights have in common. */
interface FlightCommon {
  readonly mark: string;
  readonly check: CheckAnswer;
  ended(flight: Flight): void;
  /** The call was answered alone, by this upstream. */
  alone(flight: Flight, origin: string, answer: UpstreamAnswer & { kind: 'result' }): void;
}

/** A call under way and those who wait for it. */
class Flight implements PostWaiting, Traveller, Entry<Flight> {
  readonly name: string;
  beside: Flight | undefined;
  readonly method: string;
  readonly paramsText: string;
  readonly generation: number;
  readonly #common: FlightCommon;
  readonly #aboard: Boarding[] = [];
  #waiting = 0;
  #ended = false;
  givenUp = false;
  /** Gives the call up. */
  onEmpty: () => void = () => {};
  onEnded: () => void = () => {};

  constructor({ method, paramsText }: RpcCall, name: string, generation: number, common: FlightCommon) {
    this.name = name;
    this.method = method;
    this.paramsText = paramsText;
    this.generation = generation;
    this.#common = common;
  }

  join(boarding: Boarding): void {
    this.#aboard.push(boarding);
    this.#waiting += 1;
  }

  /** Who leaves ends the call only where nobody else waits for it. */
  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0 || this.#ended) return;
    this.givenUp = true;
    this.onEmpty();
  }

  whole(text: string, from: Pick<Asked, 'origin' | 'status'>, ascii: boolean): void {
    this.#learn(readWhole(text, from, this.#common.mark, ascii), from.origin);
  }

  answered(asked: Asked): void {
    this.#learn(readUpstream(asked, this.#common.mark), asked.origin);
  }

  #learn(answer: UpstreamAnswer, origin: string): void {
    if (answer.kind === 'result') this.#common.alone(this, origin, answer);
    this.land(answer, origin);
  }

  failed(error: unknown): void {
    this.#end();
    for (const boarding of this.#aboard) boarding.lost(error);
  }

  land(answer: UpstreamAnswer, origin: string): void {
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

  /** An answer that was checked. */
  settle(answer: UpstreamAnswer): void {
    this.#end();
    for (const boarding of this.#aboard) boarding.landed(answer);
  }

  #end(): void {
    this.#ended = true;
    this.#common.ended(this);
    this.onEnded();
  }
}

/** One passenger's place. */
export class Boarding {
  readonly #flights: Flights;
  readonly #passenger: Passenger;
  #flight: Flight;
  /** Sends the call for this passenger alone; set while somebody else's is waited for. */
  #again: (() => Flight) | undefined;
  #left = false;
  #flowing: { discard(): void } | undefined;

  constructor(flights: Flights, passenger: Passenger, flight: Flight, again: (() => Flight) | undefined) {
    this.#flights = flights;
    this.#passenger = passenger;
    this.#flight = flight;
    this.#again = again;
    flight.join(this);
  }

  /** The passenger's caller has gone; the passenger is told of the end all the same. An answer that flows to it ends. */
  leave(): void {
    if (this.#left) return;
    this.#left = true;
    if (this.#flowing === undefined) this.#flight.leave();
    else this.#flowing.discard();
  }

  landed(answer: UpstreamAnswer): void {
    const again = this.#again;
    if (again === undefined) {
      if (answer.kind === 'flowing') this.#flowing = answer;
      this.#passenger.landed(answer, 'upstream');
      return;
    }
    if (answer.kind !== 'flowing') {
      this.#flights.shared += 1;
      this.#passenger.landed(answer, 'shared');
      return;
    }
    // what flows can flow to one caller only
    this.#again = undefined;
    this.#flight = again();
    this.#flight.join(this);
    if (this.#left) this.#flight.leave();
  }

  lost(error: unknown): void {
    this.#passenger.lost(error);
  }
}
