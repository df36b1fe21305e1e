import type { AnswerBasis } from '../../../contract/index.ts';
import type { AskingProgram } from '../../ports/approvals.ts';
import { type CacheEntry, entryFor, isRawBlock, plainEntry, rawOf } from '../cache/cache-entry.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { RpcCall } from '../messages/message.ts';
import { contentRuleOf, findMethod } from '../methods/method-registry.ts';
import type { PublicAnswer, PublicAnswers } from '../public/public-answers.ts';
import { CachedReplies } from './cached-replies.ts';
import { publicReply, type Reply } from './reply.ts';
import { SeenKeys } from './seen-transactions.ts';

/** A call that is being answered, for all clients that make it meanwhile. */
interface Asked {
  readonly answer: Promise<PublicAnswer>;
  readonly leave: AbortController;
  callers: number;
}

/** A call as public services are asked about it. */
interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly program: AskingProgram;
}

/** Replies from public services. What cannot change while its block is on the verified chain is kept, unless the header file has it. */
export class PublicReplies {
  readonly #answers: PublicAnswers;
  readonly #cache: ResponseCache;
  readonly #cached: CachedReplies;
  /** Transactions. One that is asked for a second time is cached, with the block that holds it. */
  readonly #seen = new SeenKeys();
  readonly #asked = new Map<string, Asked>();
  #shared = 0;
  #started = 0;
  #stored = 0;

  constructor(answers: PublicAnswers, cache: ResponseCache) {
    this.#answers = answers;
    this.#cache = cache;
    this.#cached = new CachedReplies(answers.chain);
  }

  /** Answers from the cache, answers that several callers shared, those that were made, and those from the header file alone. */
  figures(): { hits: number; shared: number; started: number; stored: number } {
    return { hits: this.#cached.hits, shared: this.#shared, started: this.#started, stored: this.#stored };
  }

  /** A reply from the header file, or a cached one whose block is on the chain. @param key of the call */
  lookUp({ method, paramsText, idText }: RpcCall, key: string): Reply | undefined {
    if (isOfHeaders(method)) {
      const stored = this.#answers.stored(method, JSON.parse(paramsText) as unknown[]);
      this.#stored += stored === undefined ? 0 : 1;
      if (stored !== undefined) return publicReply(stored, idText);
    }
    const entry = this.#cache.get(cachedAs(key));
    return entry && this.#fromCache(method, entry, idText);
  }

  /** @param key of the call; undefined where equal parameters may be spelled in more than one way */
  async reply(call: RpcCall, key: string | undefined, signal: AbortSignal, program: AskingProgram): Promise<Reply> {
    const { method, paramsText, idText } = call;
    const question = { method, params: JSON.parse(paramsText) as unknown[], program };
    const isKept = key !== undefined && contentRuleOf(method) !== undefined;
    if (isKept && this.#cache.mayBeOnDisk(cachedAs(key))) {
      const entry = await this.#cache.load(cachedAs(key));
      const found = entry && this.#fromCache(method, entry, idText);
      if (found !== undefined) return found;
    }
    if (isKept && method === 'getrawtransaction' && this.#seen.wasSeen(key))
      await this.#keepPlaced(key, question, signal);
    const kept = isKept ? this.lookUp(call, key) : undefined;
    if (kept !== undefined) return kept;
    const answer = await this.#ask(`${program.id} ${method}${paramsText}`, question, signal);
    if (isKept && 'result' in answer) this.#keep(key, question, answer);
    return publicReply(answer, idText);
  }

  #fromCache(method: string, entry: CacheEntry, idText: string): Reply | undefined {
    const reply = this.#cached.fresh(entry, idText);
    const basis = findMethod(method)?.withoutNode;
    return reply?.kind === 'whole' ? { ...reply, basis: basis as AnswerBasis } : reply;
  }

  /** Keeps a transaction that is asked for again: the verbose answer says in which block it is. */
  async #keepPlaced(key: string, { method, params, program }: Question, signal: AbortSignal): Promise<void> {
    const [txid, verbose] = params;
    if (typeof txid !== 'string' || verbose === true) return;
    const question = { method, params: [txid, true], program };
    const asked = `${method}${JSON.stringify(question.params)}`;
    const answer = await this.#ask(`${program.id} ${asked}`, question, signal);
    if (!('result' in answer)) return;
    const raw = rawOf(txid.toLowerCase(), JSON.parse(answer.result));
    const entry = raw?.mined === true && this.#keep(asked, question, answer);
    if (raw === undefined || !entry) return;
    const text = { before: `{"result":"${raw.hex}","error":null,"id":`, after: '}', ascii: true };
    this.#cache.set(cachedAs(key), plainEntry(text, entry));
  }

  #keep(
    key: string,
    { method, params }: Question,
    answer: Extract<PublicAnswer, { result: string }>,
  ): CacheEntry | undefined {
    const result: unknown = JSON.parse(answer.result);
    if (isRawBlock(method, result) || (isOfHeaders(method) && typeof result === 'string')) return undefined;
    const text = { before: `{"result":${answer.result},"error":null,"id":`, after: answer.streamed ? '}' : '}\n' };
    const entry = entryFor(method, params, { ...text, result });
    if (entry !== undefined) this.#cache.set(cachedAs(key), entry);
    return entry;
  }

  /** Asks once for all callers of one program that ask the same at a time. What is streamed has one reader. */
  async #ask(key: string, { method, params, program }: Question, signal: AbortSignal): Promise<PublicAnswer> {
    const asker = this.#answers.askers.of(program.id, program.name);
    this.#started += this.#asked.has(key) ? 0 : 1;
    // a block may be too long to be held
    if (method === 'getblock' || method === 'getblockbyheight')
      return this.#answers.answer(method, params, signal, asker);
    const known = this.#asked.get(key);
    if (known !== undefined) this.#shared += 1;
    const asked = known ?? this.#begin(key, (leaving) => this.#answers.answer(method, params, leaving, asker));
    asked.callers += 1;
    const leave = (): void => {
      asked.callers -= 1;
      if (asked.callers > 0) return;
      asked.leave.abort();
      this.#forget(key, asked);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    try {
      return await asked.answer;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #begin(key: string, ask: (leaving: AbortSignal) => Promise<PublicAnswer>): Asked {
    const leave = new AbortController();
    const asked: Asked = { answer: ask(leave.signal), leave, callers: 0 };
    this.#asked.set(key, asked);
    void asked.answer.finally(() => this.#forget(key, asked));
    return asked;
  }

  #forget(key: string, asked: Asked): void {
    if (this.#asked.get(key) === asked) this.#asked.delete(key);
  }
}

/** Whether its answers are hashes or headers; as texts, they are read from the header file each time. */
function isOfHeaders(method: string): boolean {
  return method === 'getblockhash' || method === 'getblockheader';
}

/** A node's answers have members that these lack, so they are kept apart. */
function cachedAs(key: string): string {
  return `public ${key}`;
}
