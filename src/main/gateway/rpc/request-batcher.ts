import { PlanchetError } from '../../../contract/index.ts';
import { rpcCodes } from '../messages/message.ts';
import { cachePolicyOf, findMethod } from '../methods/method-registry.ts';
import {
  MAX_BATCH_ANSWER_BYTES,
  MAX_BATCH_SIZE,
  MAX_DELAY_MS,
  MAX_IN_FLIGHT,
  MAX_PARAMS_LENGTH,
  UNBATCHED_MS,
} from '../tuning.ts';
import type { ResponseListener } from '../upstream/buffered-request.ts';
import type { Asked } from '../upstream/http-request.ts';
import type { UpstreamAnswer } from '../upstream/response.ts';

/** A call that may travel with others. */
export interface BatchEntry {
  readonly method: string;
  readonly paramsText: string;
  /** Nobody waits for it any more. */
  readonly cancelled: boolean;
  onAnswer(answer: UpstreamAnswer, origin: string): void;
  failed(error: unknown): void;
  /** Set by who sends it: gives it up. */
  cancel: () => void;
  /** Set by who sends it: it has ended. */
  onEnded: () => void;
}

/** Sends calls upstream, in its own way. */
export interface RequestSender {
  send(entry: BatchEntry): void;
  /** Called with the answer to each call that was sent by itself. @param origin of the upstream that gave it */
  learn(method: string, origin: string, answer: UpstreamAnswer & { kind: 'result' }): void;
}

export interface RequestBatcherOptions {
  /** Our id upstream with its quotes, which occurs nowhere else. */
  readonly requestId: string;
  /** Sends one call by itself. */
  readonly sendSingle: (entry: BatchEntry) => void;
  /** @returns undefined where it was not sent */
  readonly post: (
    body: string,
    waiting: ResponseListener,
    wholeBytes: number,
  ) => { abort(reason: Error): void } | undefined;
  /** What a group is ended with for which nobody waits. */
  readonly cancelled: () => Error;
}

/**
 * Lets quick calls that wait at the same time go to the upstream in one request, a JSON-RPC batch, so that they share its system calls
 * and wake-ups on both sides. Each client gets the bytes that a call of its own would have brought: a command joins a group only once the
 * upstream has answered it alone, in the node's own form, which tells how its answer ends. What is not answered in that form goes once
 * more, alone.
 */
export class RequestBatcher implements RequestSender {
  readonly #options: RequestBatcherOptions;
  /** What ends the item of each place in a group's answer. */
  readonly #tails: readonly string[];
  /** How the answer to each command ends behind the id, as the upstream `#origin` sends it. */
  readonly #ends = new Map<string, string>();
  #origin = '';
  readonly #waiting: BatchEntry[] = [];
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #unbatchedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: RequestBatcherOptions) {
    this.#options = options;
    this.#tails = Array.from({ length: MAX_BATCH_SIZE }, (_, place) => `"id":${idAt(options.requestId, place)}}`);
  }

  /** Sends a call, at once or with others within a millisecond. */
  send(entry: BatchEntry): void {
    const { method, paramsText } = entry;
    const small = isBatched(method) && paramsText.length <= MAX_PARAMS_LENGTH;
    if (!small || !this.#ends.has(method) || performance.now() < this.#unbatchedUntil) this.#options.sendSingle(entry);
    else if (this.#inFlight < MAX_IN_FLIGHT && this.#waiting.length === 0) this.#sendSingle(entry);
    else this.#enqueue(entry);
  }

  /** Learns from a call that went alone whether the upstream answers its command in the node's form, and with what behind it. */
  learn(method: string, origin: string, { before, after }: UpstreamAnswer & { kind: 'result' }): void {
    if (origin !== this.#origin) {
      this.#origin = origin;
      this.#ends.clear();
      this.#unbatchedUntil = Number.NEGATIVE_INFINITY;
    }
    if (!isBatched(method) || this.#ends.get(method) === after) return;
    const usual =
      before.startsWith(RESULT) && before.endsWith(`${NO_ERROR}"id":`) && (after === '}\n' || after === '}');
    if (usual) this.#ends.set(method, after);
    else this.#ends.delete(method);
  }

  #enqueue(entry: BatchEntry): void {
    this.#waiting.push(entry);
    if (this.#waiting.length >= MAX_BATCH_SIZE) this.#flush();
    else if (this.#waiting.length > 1) return;
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => {
        while (this.#waiting.length > 0) this.#flush();
      }, MAX_DELAY_MS).unref();
    } else this.#timer.refresh();
  }

  #flush(): void {
    const group = this.#waiting.splice(0, MAX_BATCH_SIZE).filter((entry) => {
      if (entry.cancelled) entry.failed(this.#options.cancelled());
      return !entry.cancelled;
    });
    if (group.length === 1) this.#sendSingle(group[0] as BatchEntry);
    else if (group.length > 1) this.#sendBatch(group);
  }

  #sendSingle(entry: BatchEntry): void {
    this.#inFlight += 1;
    entry.onEnded = this.#ended;
    this.#options.sendSingle(entry);
  }

  #sendBatch(entries: BatchEntry[]): void {
    const { requestId, post, cancelled } = this.#options;
    let body = '[';
    for (let place = 0; place < entries.length; place++) {
      const { method, paramsText } = entries[place] as BatchEntry;
      body += `${place === 0 ? '' : ','}{"jsonrpc":"1.0","id":${idAt(requestId, place)},"method":"${method}","params":${paramsText}}`;
    }
    this.#inFlight += 1;
    const posted = post(`${body}]`, this.#waitingFor(entries), MAX_BATCH_ANSWER_BYTES);
    if (posted === undefined) {
      this.#inFlight -= 1;
      for (const entry of entries) this.#options.sendSingle(entry);
      return;
    }
    const leave = (): void => {
      if (entries.every((entry) => entry.cancelled)) posted.abort(cancelled());
    };
    for (const entry of entries) entry.cancel = leave;
  }

  #waitingFor(entries: readonly BatchEntry[]): ResponseListener {
    const whole: ResponseListener['whole'] = (text, from, ascii) => {
      this.#ended();
      const believed = from.status === 200 && from.origin === this.#origin;
      this.#onAnswer(entries, believed ? this.#read(text, ascii, entries) : []);
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
        if (error instanceof PlanchetError && error.code === 'upstream-error') this.#onAnswer(entries, []);
        else for (const entry of entries) entry.failed(error);
      },
    };
  }

  #onAnswer(entries: readonly BatchEntry[], answers: readonly (UpstreamAnswer | undefined)[]): void {
    if (answers.length === 0) this.#unbatchedUntil = performance.now() + UNBATCHED_MS;
    for (const [place, entry] of entries.entries()) {
      const answer = answers[place];
      if (answer !== undefined) entry.onAnswer(answer, this.#origin);
      else if (entry.cancelled) entry.failed(this.#options.cancelled());
      else this.#options.sendSingle(entry);
    }
  }

  /** @returns an answer for each call, undefined where the form of one leaves a doubt; nothing where all of it does */
  #read(text: string, ascii: boolean, entries: readonly BatchEntry[]): (UpstreamAnswer | undefined)[] {
    if (!text.startsWith('[')) return [];
    const answers: (UpstreamAnswer | undefined)[] = [];
    let at = 1;
    for (let place = 0; place < entries.length; place++) {
      const tail = this.#tails[place] as string;
      const idAt = text.indexOf(tail, at);
      const next = idAt + tail.length;
      if (idAt < 0 || text[next] !== (place === entries.length - 1 ? ']' : ',')) return [];
      const { method } = entries[place] as BatchEntry;
      answers.push(readItem({ text, ascii, start: at, idAt }, method, this.#ends.get(method)));
      at = next + 1;
    }
    return text.slice(at).trim() === '' ? answers : [];
  }

  readonly #ended = (): void => {
    this.#inFlight -= 1;
    while (this.#inFlight < MAX_IN_FLIGHT && this.#waiting.length > 0) this.#flush();
  };
}

function isBatched(method: string): boolean {
  return findMethod(method)?.batched === true;
}

/** Our id of a place in a group, with its quotes. */
function idAt(requestId: string, place: number): string {
  return `${requestId.slice(0, -1)}-${place}"`;
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
        before: cachePolicyOf(method) === 'none' ? before : Buffer.from(before).toString(),
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
