import { expect, it } from 'vitest';
import { StillClock } from '../../test-support/still-clock.ts';
import { Rest, type RestOptions, type RestRequest } from './rest.ts';

it('an answer that is shared for a while is asked for again where the clock was put back', async () => {
  const clock = new StillClock(36_000_000);
  let asked = 0;
  const rest = async () => {
    asked += 1;
    return { status: 200, headers: {}, bytes: Buffer.from('{}'), origin: 'node', rest: undefined };
  };
  const answers = new Rest({
    dispatcher: { lookUp: () => ({ kind: 'unanswered', entry: undefined, onDisk: false }) },
    upstream: { rest },
    asksNode: () => true,
    clock,
    shareFor: () => 1_000,
    generation: () => 1,
    hasTip: () => true,
  } as unknown as RestOptions);
  const ask = () => answers.answer('/rest/chaininfo.json', { mayCall: () => undefined } as unknown as RestRequest);
  await ask();
  await ask();
  expect(asked).toBe(1);
  clock.advance(-3_600_000);
  await ask();
  await ask();
  expect(asked).toBe(2);
});
