import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyEvent, watchLateAnswers } from './late-answers.ts';

const queryKey = ['list'];
let queries: QueryClient;
let answers: PromiseWithResolvers<string[]>[];
let stop: () => void;

/** A view that shows the list. Its replies arrive on demand of the test. */
function open(): QueryObserver<string[]> {
  const observer = new QueryObserver<string[]>(queries, {
    queryKey,
    queryFn: () => {
      const answer = Promise.withResolvers<string[]>();
      answers.push(answer);
      return answer.promise;
    },
  });
  observer.subscribe(() => {});
  return observer;
}

/** Sends a reply and waits until the query has received it. */
async function answer(at: number, list: string[]): Promise<void> {
  answers[at]?.resolve(list);
  await new Promise((resolve) => setTimeout(resolve));
}

const add = (name: string) => (list: string[] | undefined) => list && [...list.filter((one) => one !== name), name];

beforeEach(() => {
  queries = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000 } } });
  answers = [];
  stop = watchLateAnswers(queries);
});
afterEach(() => {
  stop();
  queries.clear();
});

describe('an event that arrives before the reply to a running fetch', () => {
  it('is applied to a list that is being loaded', async () => {
    const list = open();
    applyEvent(queries, queryKey, add('told'));
    applyEvent(queries, queryKey, add('told later'));
    await answer(0, ['old']);
    expect(list.getCurrentResult().data).toEqual(['old', 'told', 'told later']);
    expect(answers).toHaveLength(1);
  });

  it('is applied to a list that is being refetched', async () => {
    const list = open();
    await answer(0, ['old']);
    void queries.refetchQueries({ queryKey });
    applyEvent(queries, queryKey, add('told'));
    expect(list.getCurrentResult().data).toEqual(['old', 'told']);
    await answer(1, ['old']);
    expect(list.getCurrentResult().data).toEqual(['old', 'told']);
  });

  it('repeats a first fetch if it only reports a change', async () => {
    const list = open();
    void queries.invalidateQueries({ queryKey });
    void queries.invalidateQueries({ queryKey });
    await answer(0, ['old']);
    expect(answers).toHaveLength(2);
    await answer(1, ['new']);
    expect(list.getCurrentResult().data).toEqual(['new']);
    expect(answers).toHaveLength(2);
  });

  it('does not change the reply to a later fetch', async () => {
    const list = open();
    await answer(0, ['old']);
    void queries.refetchQueries({ queryKey });
    applyEvent(queries, queryKey, add('gone since'));
    void queries.invalidateQueries({ queryKey });
    await answer(2, ['new']);
    expect(list.getCurrentResult().data).toEqual(['new']);
  });
});
