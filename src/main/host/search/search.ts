import type { Logger } from 'pino';
import type { Contract, SearchAnswer, Serves } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NameSource, SearchSource } from '../../ports/search.ts';

/** A source that takes longer counts as failed, since a person waits for the others. */
const LIMIT_MS = 2_000;

interface SearchOptions {
  /** In the order in which their hits are listed. */
  sources: readonly SearchSource[];
  names: readonly NameSource[];
  clock: Clock;
  logger: Logger;
}

/** Asks all sources at once and puts their hits together. A source that fails or is slow takes nothing from the others. */
export function createSearch({ sources, names, clock, logger }: SearchOptions): Serves<Contract['search']> {
  return {
    names: async ({ ids }) => {
      const found = await Promise.all(
        names.map((source) =>
          source(ids).catch((error: unknown) => {
            logger.debug({ err: error }, 'a source of names failed');
            return new Map<string, string>();
          }),
        ),
      );
      return Object.fromEntries(found.toReversed().flatMap((one) => [...one]));
    },
    find: async ({ text, limit }, caller) => {
      if (text === '') return { hits: [], tried: [] };
      const late = new AbortController();
      const signal = AbortSignal.any(caller === undefined ? [late.signal] : [late.signal, caller]);
      const cancel = clock.after(LIMIT_MS, () => late.abort(new Error('no answer in time')));
      try {
        const asked = sources.flatMap((source) => {
          const answer = source.find({ text, limit, signal });
          return answer === undefined ? [] : [{ kinds: source.kinds, answer: untilAborted(answer, signal) }];
        });
        const answers = await Promise.all(
          asked.map(async ({ kinds, answer }): Promise<SearchAnswer> => {
            try {
              const hits = await answer;
              const found = new Set(hits.map(({ kind }) => kind));
              return { hits, tried: kinds.map((kind) => ({ kind, state: found.has(kind) ? 'found' : 'none' })) };
            } catch (error) {
              logger.debug({ err: error, kinds }, 'a search source failed');
              return { hits: [], tried: kinds.map((kind) => ({ kind, state: 'failed' })) };
            }
          }),
        );
        caller?.throwIfAborted();
        return merged(answers);
      } finally {
        cancel();
      }
    },
  };
}

/** Each hit once, with a name if a source knows one, and each kind once, with its best outcome. */
function merged(answers: readonly SearchAnswer[]): SearchAnswer {
  const hits = new Map<string, SearchAnswer['hits'][number]>();
  const tried = new Map<string, SearchAnswer['tried'][number]>();
  for (const answer of answers) {
    for (const hit of answer.hits) {
      const key = `${hit.kind} ${hit.id}`;
      if ((hits.get(key)?.name ?? '') === '') hits.set(key, hit);
    }
    for (const one of answer.tried) {
      const before = tried.get(one.kind);
      if (before === undefined || rank.indexOf(one.state) < rank.indexOf(before.state)) tried.set(one.kind, one);
    }
  }
  return { hits: [...hits.values()], tried: [...tried.values()] };
}

const rank = ['found', 'failed', 'none'];

function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
