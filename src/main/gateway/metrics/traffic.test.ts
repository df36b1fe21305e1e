import { describe, expect, it } from 'vitest';
import { TrafficLog } from './traffic.ts';

function open() {
  let now = 1_700_000_000_000;
  const log = new TrafficLog({ now: () => now } as ConstructorParameters<typeof TrafficLog>[0]);
  const call = (params: string, milliseconds = 1): void =>
    log.record('planchet', 'getblock', params, {
      source: 'upstream',
      started: performance.now() - milliseconds,
      bytes: 1,
      status: 200,
    });
  return {
    log,
    call,
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

describe('traffic', () => {
  it('shows truncated parameters, and returns all of them on request', async () => {
    const { log, call } = open();
    const long = JSON.stringify(['ab'.repeat(10_000)]);
    call('["short"]');
    call(long);
    const { value } = await log.watch(undefined).next();
    expect(value?.calls.map(({ paramsCut }) => paramsCut)).toEqual([true, false]);
    expect(value?.calls[0]?.params).toBe(long.slice(0, 500));
    expect(log.params(2)).toBe(long);
    expect(log.params(1)).toBe('["short"]');
    expect(() => log.params(3)).toThrow(/no longer in memory/);
  });

  it('stores no more than 16 MB of them, and none above 1 MB', () => {
    const { log, call } = open();
    const megabyte = 'x'.repeat(1_048_576);
    for (let n = 0; n < 17; n++) call(megabyte);
    call(`${megabyte}x`);
    expect(() => log.params(1)).toThrow(/no longer in memory/);
    expect(log.params(2)).toBe(megabyte);
    expect(() => log.params(18)).toThrow(/no longer in memory/);
  });

  it('reports rate and latency for each step', () => {
    const { log, call, pass } = open();
    for (let n = 0; n < 10; n++) call('[]', 2);
    pass(5_000);
    for (let n = 0; n < 5; n++) call('[]', 8);
    const { methods, stepMs } = log.history();
    expect(stepMs).toBe(5_000);
    const [{ method, rate, p50, p99 } = { method: '', rate: [], p50: [], p99: [] }] = methods;
    expect(method).toBe('getblock');
    expect(rate).toHaveLength(60);
    expect(rate.slice(-2)).toEqual([2, 1]);
    expect(p50.at(-2)).toBeCloseTo(2, 0);
    expect(p99.at(-1)).toBeCloseTo(8, 0);
    expect(p50.at(-3)).toBeNull();
    pass(400_000);
    expect(log.history().methods[0]?.rate.every((each) => each === 0)).toBe(true);
  });
});
