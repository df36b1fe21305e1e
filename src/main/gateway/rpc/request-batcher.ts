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
import type { UpstreamAnswer } from '../upstream/answers/response.ts';
import type { Cancellable, ResponseListener } from '../upstream/requests.ts';

/** A call that may be part of a batch. */
export interface BatchEntry {
  readonly method: string;
  readonly paramsText: string;
  /** No client waits for it any more. */
  readonly cancelled: boolean;
  onAnswer(answer: UpstreamAnswer, origin: string): void;
  failed(error: unknown): void;
  /** Set by the sender: cancels the call. */
  cancel: () => void;
  /** Set by the sender: the call has ended. */
  onEnded: () => void;
}

/** Sends calls upstream, one by one or in batches. */
export interface RequestSender {
  send(entry: BatchEntry): void;
  /** Called with the answer to each call that was sent alone. @param origin of the upstream that gave it */
  learn(method: string, origin: string, answer: UpstreamAnswer & { kind: 'result' }): void;
}

export interface RequestBatcherOptions {
  /** The id for upstream calls with its quotes. It occurs nowhere else. */
  readonly requestId: string;
  /** Sends one call alone. */
  readonly sendSingle: (entry: BatchEntry) => void;
  /** @returns undefined if it was not sent */
  readonly post: (body: string, waiting: ResponseListener, wholeBytes: number) => Cancellable | undefined;
  /** The error for a batch that no client waits for. */
  readonly cancelled: () => Error;
}

/**
 * Sends quick calls that wait at the same time in one JSON-RPC batch, so that they share system calls and wake-ups on both sides. Each
 * client gets the same bytes as for a single call. A command is batched only after the upstream has answered it alone in the node's own
 * form, which shows how its answer ends. A call that is not answered in that form is sent again alone.
 */
export class RequestBatcher implements RequestSender {
  readonly #options: RequestBatcherOptions;
  /** The end of the item at each position of a batch's answer. */
  readonly #tails: readonly string[];
  /** The end of the answer to each command after the id, as the upstream `#origin` sends it. */
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

  /** Learns from a single call whether the upstream answers its command in the node's form, and how that answer ends. */
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
    return {
      list: true,
      answered: ({ bytes, status, origin, rest }) => {
        this.#ended();
        void rest?.return?.();
        const text = rest === undefined && status === 200 && origin === this.#origin ? bytes.toString('utf8') : '';
        this.#onAnswer(entries, this.#read(text, text.length === bytes.length, entries));
      },
      failed: (error) => {
        this.#ended();
        // an upstream that is late or offline would not answer a second time either
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

  /** @returns an answer for each call, undefined for one in an unusual form; undefined if the whole answer has an unusual form */
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

/** The id for a position in a batch, with its quotes. */
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
  /** Position of the name of the id, which is the last member. */
  readonly idAt: number;
}

/** Reads one item of a batch's answer. @param end the end of the answer to a single call */
function readItem(item: Item, method: string, end: string | undefined): UpstreamAnswer | undefined {
  const { text, ascii, start, idAt } = item;
  try {
    if (end !== undefined && text.startsWith(RESULT, start) && text.startsWith(NO_ERROR, idAt - NO_ERROR.length)) {
      const result: unknown = JSON.parse(text.slice(start + RESULT.length, idAt - NO_ERROR.length));
      const before = text.slice(start, idAt + '"id":'.length);
      // A substring keeps the whole string in memory, so parts that may be cached are copied.
      const kept = cachePolicyOf(method) === 'none' ? before : Buffer.from(before).toString();
      return { kind: 'result', before: kept, after: end, result, ascii };
    }
    if (!text.startsWith(ERROR, start)) return undefined;
    const { code, message } = JSON.parse(text.slice(start + ERROR.length, idAt - 1)) as Record<string, unknown>;
    // a node that is still starting is handled by the selection of upstreams
    if (!Number.isSafeInteger(code) || code === rpcCodes.warmUp || typeof message !== 'string') return undefined;
    return { kind: 'error', code: code as number, message };
  } catch {
    return undefined;
  }
}
