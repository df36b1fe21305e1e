import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { echo, Upstream } from '../test-support/upstream.ts';

const restarts = process.env.PLANCHET_LONG ? 100 : 5;
const CALLERS = 8;

let upstream: Upstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await new Upstream(echo).start();
  gateway = await startGateway(upstream.url, { settings: { bitcoinTimeout: '2s' } });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

it('an upstream killed and restarted under load causes no wrong answer and no stuck call, and is used again', async () => {
  let running = true;
  let number = 0;
  let right = 0;
  let refused = 0;
  let slowest = 0;
  const wrong: string[] = [];
  const one = async (): Promise<boolean> => {
    const id = ++number;
    const started = performance.now();
    const { text } = await send(gateway.port, {
      body: JSON.stringify({ method: 'gettxout', params: [`${id}`, 0], id }),
    });
    slowest = Math.max(slowest, performance.now() - started);
    const answer = JSON.parse(text) as { result: unknown; error: { code: number } | null; id: unknown };
    if (answer.result === `gettxout ["${id}",0]` && answer.id === id) {
      right += 1;
      return true;
    }
    if (answer.error?.code === -1 && answer.id === id) refused += 1;
    else wrong.push(text);
    return false;
  };
  const callers = Array.from({ length: CALLERS }, async () => {
    while (running) if (!(await one())) await nextTurn();
  });
  const recoveries: number[] = [];
  for (let n = 0; n < restarts; n++) {
    const [rightBefore, refusedBefore] = [right, refused];
    while (right < rightBefore + 2 * CALLERS) await nextTurn();
    await upstream.stop();
    while (refused < refusedBefore + CALLERS) await nextTurn();
    await upstream.start();
    const back = performance.now();
    while (!(await one())) await nextTurn();
    recoveries.push(performance.now() - back);
  }
  running = false;
  await Promise.all(callers);
  expect(wrong).toEqual([]);
  expect(right).toBeGreaterThan(restarts * CALLERS);
  expect(refused).toBeGreaterThanOrEqual(restarts * CALLERS);
  if (process.env.PLANCHET_LONG) {
    const longest = `back after at most ${Math.max(...recoveries).toFixed(0)} ms, slowest call ${slowest.toFixed(0)} ms`;
    process.stdout.write(`${restarts} restarts: ${right} right, ${refused} refused, ${longest}\n`);
  }
});
