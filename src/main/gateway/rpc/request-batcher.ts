import { PlanchetError } from '../../../contract/index.ts';
import { keepingOf } from '../cache/cache-entry.ts';
import type { PostWaiting } from '../upstream/buffered-request.ts';
import type { Asked } from '../upstream/client.ts';
import type { UpstreamAnswer } from '../upstream/response.ts';
import { rpcCodes } from './message.ts';

/** Commands a node answers at once, from memory or by one look into an index, with little. Only these travel together. */
const quick = new Set([
  'getbestblockhash',
  'getblockcount',
  'getblockhash',
  'getblockheader',
  'getdifficulty',
  'getmempoolentry',
  'getmempoolinfo',
  'gettxout',
]);
/**
 * Requests with quick calls that are under way before further ones wait for company. A node reads all of them under its one lock (`cs_main`),
 * so that more at a time are not answered sooner; with two, it has the next before it has answered the last.
 */
const UNDER_WAY = 2;
const MOST_TOGETHER = 8;
/** Characters of parameters with which a call still is a small one. */
const SMALL_PARAMS = 1_024;
/** Nobody waits for company longer than this, however long the upstream takes. */
const HOLD_MS = 1;
/** An upstream that did not answer a group as a node does is asked by single calls for so long. */
const ALONE_MS = 5 * 60_000;
/** Answers to groups up to this size are read. */
const WHOLE_BYTES = 256 * 1024;

/** A call that may travel with others. */
export interface Traveller {
  readonly method: string;
  readonly paramsText: string;
  /** Nobody waits for it any more. */
  readonly givenUp: boolean;
  land(answer: UpstreamAnswer, origin: string): void;
  failed(error: unknown): void;
  /** Set by who sends it: gives it up. */
  onEmpty: () => void;
  /** Set by who sends it: it has ended. */
  onEnded: () => void;
}

export interface FlightGroupsOptions {
  /** Our id upstream with its quotes, which occurs nowhere else. */
  readonly mark: string;
  /** Sends one call by itself. */
  readonly alone: (traveller: Traveller) => void;
  /** @returns undefined where it was not sent */
  readonly post: (body: string, waiting: PostWaiting, wholeBytes: number) => { abort(reason: Error): void } | undefined;
  /** What a group is ended with for which nobody waits. */
  readonly givenUp: () => Error;
}

/**
 * Lets quick calls that wait at the same time go to the upstream in one request, a JSON-RPC batch, so that they share its system calls
 * and wake-ups on both sides. Each caller gets the bytes that a call of its own would have brought: a command joins a group only once the
 * upstream has answered it alone, in the node's own form, which tells how its answer ends. What is not answered in that form goes once
 * more, alone.
 */
export class FlightGroups {
  readonly #options: FlightGroupsOptions;
  /** What ends the item of each place in a group's answer. */
  readonly #tails: readonly string[];
  /** How the answer to each command ends behind the id, as the upstream `#origin` sends it. */
  readonly #ends = new Map<string, string>();
  #origin = '';
  readonly #waiting: Traveller[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #aloneUntil = Number.NEGATIVE_INFINITY;

  constructor(options: FlightGroupsOptions) {
    this.#options = options;
    this.#tails = Array.from({ length: MOST_TOGETHER }, (_, place) => `"id":${idAt(options.mark, place)}}`);
  }

  /** Sends a call, at once or with others within a millisecond. */
  send(traveller: Traveller): void {
    const { method, paramsText } = traveller;
    const small = quick.has(method) && paramsText.length <= SMALL_PARAMS;
    if (!small || !this.#ends.has(method) || performance.now() < this.#aloneUntil) this.#options.alone(traveller);
    else if (this.#underWay < UNDER_WAY && this.#waiting.length === 0) this.#sendAlone(traveller);
    else this.#hold(traveller);
  }

  /** Learns from a call that went alone whether the upstream answers its command in the node's form, and with what behind it. */
  learn(method: string, origin: string, { before, after }: UpstreamAnswer & { kind: 'result' }): void {
    if (origin !== this.#origin) {
      this.#origin = origin;
      this.#ends.clear();
      this.#aloneUntil = Number.NEGATIVE_INFINITY;
    }
    if (!quick.has(method) || this.#ends.get(method) === after) return;
    const usual =
      before.startsWith(RESULT) && before.endsWith(`${NO_ERROR}"id":`) && (after === '}\n' || after === '}');
    if (usual) this.#ends.set(method, after);
    else this.#ends.delete(method);
  }

  #hold(traveller: Traveller): void {
    this.#waiting.push(traveller);
    if (this.#waiting.length >= MOST_TOGETHER) this.#depart();
    else if (this.#waiting.length > 1) return;
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => {
        while (this.#waiting.length > 0) this.#depart();
      }, HOLD_MS).unref();
    } else this.#timer.refresh();
  }

  #depart(): void {
    const group = this.#waiting.splice(0, MOST_TOGETHER).filter((traveller) => {
      if (traveller.givenUp) traveller.failed(this.#options.givenUp());
      return !traveller.givenUp;
    });
    if (group.length === 1) this.#sendAlone(group[0] as Traveller);
    else if (group.length > 1) this.#sendGroup(group);
  }

  #sendAlone(traveller: Traveller): void {
    this.#underWay += 1;
    traveller.onEnded = this.#ended;
    this.#options.alone(traveller);
  }

  #sendGroup(travellers: Traveller[]): void {
    const { mark, post, givenUp } = this.#options;
    let body = '[';
    for (let place = 0; place < travellers.length; place++) {
      const { method, paramsText } = travellers[place] as Traveller;
      body += `${place === 0 ? '' : ','}{"jsonrpc":"1.0","id":${idAt(mark, place)},"method":"${method}","params":${paramsText}}`;
    }
    this.#underWay += 1;
    const posted = post(`${body}]`, this.#waitingFor(travellers), WHOLE_BYTES);
    if (posted === undefined) {
      this.#underWay -= 1;
      for (const traveller of travellers) this.#options.alone(traveller);
      return;
    }
    const leave = (): void => {
      if (travellers.every((traveller) => traveller.givenUp)) posted.abort(givenUp());
    };
    for (const traveller of travellers) traveller.onEmpty = leave;
  }

  #waitingFor(travellers: readonly Traveller[]): PostWaiting {
    const whole: PostWaiting['whole'] = (text, from, ascii) => {
      this.#ended();
      const believed = from.status === 200 && from.origin === this.#origin;
      this.#land(travellers, believed ? this.#read(text, ascii, travellers) : []);
    };
    return {
      list: true,
      whole,
      answered: (asked: Asked) => {
        void asked.rest?.return?.();
        const text = asked.rest === undefined ? asked.bytes.toString('utf8') : '';
        whole(text, asked, text.length === asked.bytes.length);
      },
      failed: (error) => {
        this.#ended();
        // one that is late or away would not answer a second time either
        if (error instanceof PlanchetError && error.code === 'upstream-error') this.#land(travellers, []);
        else for (const traveller of travellers) traveller.failed(error);
      },
    };
  }

  #land(travellers: readonly Traveller[], answers: readonly (UpstreamAnswer | undefined)[]): void {
    if (answers.length === 0) this.#aloneUntil = performance.now() + ALONE_MS;
    for (const [place, traveller] of travellers.entries()) {
      const answer = answers[place];
      if (answer !== undefined) traveller.land(answer, this.#origin);
      else if (traveller.givenUp) traveller.failed(this.#options.givenUp());
      else this.#options.alone(traveller);
    }
  }

  /** @returns an answer for each call, undefined where the form of one leaves a doubt; nothing where all of it does */
  #read(text: string, ascii: boolean, travellers: readonly Traveller[]): (UpstreamAnswer | undefined)[] {
    if (!text.startsWith('[')) return [];
    const answers: (UpstreamAnswer | undefined)[] = [];
    let at = 1;
    for (let place = 0; place < travellers.length; place++) {
      const tail = this.#tails[place] as string;
      const idAt = text.indexOf(tail, at);
      const next = idAt + tail.length;
      if (idAt < 0 || text[next] !== (place === travellers.length - 1 ? ']' : ',')) return [];
      const { method } = travellers[place] as Traveller;
      answers.push(readItem({ text, ascii, start: at, idAt }, method, this.#ends.get(method)));
      at = next + 1;
    }
    return text.slice(at).trim() === '' ? answers : [];
  }

  readonly #ended = (): void => {
    this.#underWay -= 1;
    while (this.#underWay < UNDER_WAY && this.#waiting.length > 0) this.#depart();
  };
}

/** Our id of a place in a group, with its quotes. */
function idAt(mark: string, place: number): string {
  return `${mark.slice(0, -1)}-${place}"`;
}

const RESULT = '{"result":';
const NO_ERROR = ',"error":null,';
const ERROR = '{"result":null,"error":';

interface Item {
  readonly text: string;
  readonly ascii: boolean;
  readonly start: number;
  /** Where the name of the id stands, which is its last member. */
  readonly idAt: number;
}

/** One item of a group's answer. @param end of the answer to a single call */
function readItem(
  { text, ascii, start, idAt }: Item,
  method: string,
  end: string | undefined,
): UpstreamAnswer | undefined {
  try {
    if (end !== undefined && text.startsWith(RESULT, start) && text.startsWith(NO_ERROR, idAt - NO_ERROR.length)) {
      const result: unknown = JSON.parse(text.slice(start + RESULT.length, idAt - NO_ERROR.length));
      const before = text.slice(start, idAt + '"id":'.length);
      // A part of a string keeps the whole of it in memory, so what may be kept is copied.
      return {
        kind: 'result',
        before: keepingOf(method) === 'none' ? before : Buffer.from(before).toString(),
        after: end,
        result,
        ascii,
      };
    }
    if (!text.startsWith(ERROR, start)) return undefined;
    const { code, message } = JSON.parse(text.slice(start + ERROR.length, idAt - 1)) as Record<string, unknown>;
    // a node that is still starting is left to those who choose among upstreams
    if (!Number.isSafeInteger(code) || code === rpcCodes.warmUp || typeof message !== 'string') return undefined;
    return { kind: 'error', code: code as number, message };
  } catch {
    return undefined;
  }
}
