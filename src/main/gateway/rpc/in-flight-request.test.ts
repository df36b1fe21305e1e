import { expect, it } from 'vitest';
import type { UpstreamAnswer } from '../upstream/answers/response.ts';
import type { AnswerListener } from '../upstream/requests.ts';
import { UpstreamCalls } from './in-flight-request.ts';

it('a call joins the newest equal one, also when an older one of another generation has ended', () => {
  const sent: AnswerListener<UpstreamAnswer>[] = [];
  const calls = new UpstreamCalls({
    send: (_, listener) => {
      sent.push(listener);
      return { abort: () => undefined };
    },
    post: () => undefined,
    check: (_, answer) => answer,
    batching: false,
  });
  const subscribe = (generation: number): void => {
    const subscriber = { onAnswer: () => undefined, onFailure: () => undefined };
    calls.subscribe({ idText: '1', method: 'getinfo', paramsText: '[]' }, 'getinfo', generation, subscriber);
  };
  subscribe(1);
  subscribe(2);
  expect(sent).toHaveLength(2);
  sent[0]?.failed(new Error('away'));
  subscribe(2);
  expect(sent).toHaveLength(2);
  sent[1]?.failed(new Error('away'));
  subscribe(2);
  expect(sent).toHaveLength(3);
});
