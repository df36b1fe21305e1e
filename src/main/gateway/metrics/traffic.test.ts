import { describe, expect, it, vi } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';
import { TrafficLog } from './traffic.ts';

function open(keepsBodies?: () => boolean) {
  let now = 1_700_000_000_000;
  const clock = { now: () => now } as ConstructorParameters<typeof TrafficLog>[0];
  const log = new TrafficLog(clock, undefined, keepsBodies);
  const call = (params: string, milliseconds = 1, method = 'getblock'): void => {
    // A machine under load would make the call longer than that.
    const ended = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const started = performance.now() - milliseconds;
    log.record('planchet', method, params, { source: 'upstream', started, bytes: 1, status: 200 });
    ended.mockRestore();
  };
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
    expect(value?.calls.map(({ paramsCut }) => paramsCut)).toEqual([false, true]);
    expect(value?.calls[1]?.params).toBe(long.slice(0, 500));
    expect(log.params(2)).toBe(long);
    expect(log.params(1)).toBe('["short"]');
    expect(() => log.params(3)).toThrow(/no longer in memory/);
  });

  it('stores no more than 16 MB of parameters, and none above 1 MB', () => {
    const { log, call } = open();
    const megabyte = 'x'.repeat(1_048_576);
    for (let n = 0; n < 17; n++) call(megabyte);
    call(`${megabyte}x`);
    expect(() => log.params(1)).toThrow(/no longer in memory/);
    expect(log.params(2)).toBe(megabyte);
    expect(() => log.params(18)).toThrow(/no longer in memory/);
  });

  it('counts what was answered without the upstream, and not what was refused there', () => {
    const { log } = open();
    for (const status of [200, 500])
      log.record('planchet', 'getblock', '[]', { source: 'local', started: performance.now(), bytes: 1, status });
    expect(log.methods()).toMatchObject([{ method: 'getblock', calls: 2, errors: 1, cached: 1 }]);
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

  it('charts what was called most in the last five minutes, not since the start', () => {
    const { log, call, pass } = open();
    const before = [
      'getblock',
      'getblockhash',
      'getblockheader',
      'getblockcount',
      'getinfo',
      'getdifficulty',
      'gettxout',
    ];
    const others = ['getchaintips', 'getmempoolinfo', 'getrawmempool', 'getbestblockhash', 'getnetworkinfo', 'help'];
    for (const method of [...before, ...others]) for (let n = 0; n < 5; n++) call('[]', 1, method);
    pass(360_000);
    call('[]', 1, 'decodescript');
    const methods = log.history().methods.map(({ method }) => method);
    expect(methods).toHaveLength(12);
    expect(methods[0]).toBe('decodescript');
  });

  it('sends a burst in steps without a gap, and counts what left the memory before it could be sent', async () => {
    const { log, call } = open();
    const stop = new AbortController();
    const stream = log.watch(stop.signal);
    expect(await stream.next()).toMatchObject({ value: { calls: [], skipped: 0 } });
    const numbers: number[] = [];
    for (let n = 0; n < 6_000; n++) call('[]');
    while (numbers.length < 6_000) {
      const { value } = await stream.next();
      expect(value?.skipped).toBe(0);
      numbers.push(...(value?.calls ?? []).map(({ number }) => number));
    }
    expect(numbers).toEqual(Array.from({ length: 6_000 }, (_, index) => index + 1));
    for (let n = 0; n < 12_345; n++) call('[]');
    const { value } = await stream.next();
    expect(value?.skipped).toBe(2_345);
    expect(value?.calls[0]?.number).toBe(8_346);
    stop.abort();
  });
});

describe('the bodies of a call', () => {
  const secret = 'L1aW4aubDFB7yfras2S1mN3bqg9nwySY8nkoLmJebSLD5BWv3ENZ';
  const record = (log: TrafficLog, method: string, params: string, answer?: string): void =>
    log.record('planchet', method, params, {
      source: 'upstream',
      started: performance.now(),
      bytes: 1,
      status: 200,
      answer,
    });

  it('are kept for the last 500 calls, and 65,536 characters of each', () => {
    const { log } = open();
    for (let n = 1; n <= 501; n++) record(log, 'getblock', `[${n}]`, `answer ${n}`);
    record(log, 'getblock', '[]', 'x'.repeat(70_000));
    expect(log.bodies(1)).toMatchObject({ kept: 'not', params: '[1]', answer: null });
    expect(log.bodies(3)).toMatchObject({ kept: 'whole', answer: 'answer 3', answerCut: false });
    expect(log.bodies(502).answer).toHaveLength(65_536);
    expect(log.bodies(502).answerCut).toBe(true);
    expect(() => log.bodies(503)).toThrow(/no longer in memory/);
  });

  it('say of each call whether it only reads', () => {
    const { log } = open();
    for (const method of ['getblock', 'REST', 'sendrawtransaction', 'getwalletinfo']) record(log, method, '[]');
    expect([1, 2, 3, 4].map((n) => log.bodies(n).isRead)).toEqual([true, true, false, false]);
  });

  it('are forgotten for good where they are asked for while none may be kept', () => {
    let keeps = true;
    const { log } = open(() => keeps);
    const figures = { source: 'upstream' as const, started: 0, bytes: 1, status: 200, answer: 'kept' };
    const long = JSON.stringify(['x'.repeat(1_000)]);
    log.record('planchet', 'getblock', long, figures);
    expect(log.bodies(1)).toMatchObject({ kept: 'whole', params: long, answer: 'kept' });
    keeps = false;
    expect(log.bodies(1)).toMatchObject({ kept: 'off', params: null, answer: null });
    keeps = true;
    expect(log.bodies(1)).toMatchObject({ kept: 'not', params: null, answer: null });
  });

  it('are those of the call with the number, not of an older or newer one in its place', () => {
    const { log, call } = open();
    for (let n = 0; n < 10_001; n++) call(`[${n}]`);
    expect(() => log.bodies(1)).toThrow(/no longer in memory/);
    expect(log.bodies(10_001).params).toBe('[10000]');
    expect(log.bodies(2).params).toBe('[1]');
  });

  it('take 16 million characters at most', () => {
    const { log } = open();
    for (let n = 1; n <= 300; n++) record(log, 'getblock', '[]', String(n).padEnd(65_536));
    const kept = Array.from({ length: 300 }, (_, index) => log.bodies(index + 1)).filter(
      ({ kept }) => kept === 'whole',
    );
    expect(kept).toHaveLength(256);
  });

  it('hold no secret, wherever they are read', async () => {
    const { log } = open();
    const long = JSON.stringify(['x'.repeat(1_000), secret]);
    record(log, 'walletpassphrase', '["correct horse",60]', '{"error":"Method not found"}');
    record(log, 'decodescript', JSON.stringify([secret]), `{"result":"${secret}","password":"a\\"b"}`);
    record(log, 'decodescript', long, '{}');
    record(log, 'REST', '/rest/x?token=abcdef', '');
    const { value } = await log.watch(undefined).next();
    const shown = JSON.stringify([value, ...[1, 2, 3, 4].map((n) => log.bodies(n)), log.params(3)]);
    for (const hidden of [secret, 'correct horse', 'abcdef', 'a\\']) expect(shown).not.toContain(hidden);
    expect([1, 2, 3, 4].map((n) => log.bodies(n).masked)).toEqual([true, true, true, true]);
    expect(log.sent(1).masked).toBe(true);
  });

  it('keep hashes, addresses and raw transactions as they are', () => {
    const plain = `{"txid":"${'ab'.repeat(32)}","address":"mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn","hex":"${'01'.repeat(500)}"}`;
    expect(maskSecrets('getrawtransaction', plain, 'answer')).toBe(plain);
  });
});
