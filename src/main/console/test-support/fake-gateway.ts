import {
  type Contract,
  type GatewayKey,
  type PairedOrigin,
  PlanchetError,
  type Serves,
  type Traffic,
} from '../../../contract/index.ts';

/** A gateway with its keys and origins in memory and one recorded call. */
export function createFakeGateway(): Serves<Contract['gateway']> {
  const keys = new Map<string, GatewayKey>();
  const origins = new Map<string, PairedOrigin>();
  const requests = new Map([
    ['r1', { id: 'r1', origin: 'https://asking.example', code: '4711', askedAt: 1, expiresAt: 2 }],
  ]);
  let password = 'first';
  return {
    status: () => ({
      underWay: { calls: [], total: 0 },
      source: 'node',
      upstreams: [
        {
          origin: 'http://node.example',
          circuit: 'open',
          behind: null,
          height: null,
          latency: 4,
          p95: null,
          calls: 5,
          failures: 2,
          lastFailure: 'it is away',
          failure: null,
        },
      ],
      certificatesIgnored: false,
      tip: { hash: '00'.repeat(32), height: 7, age: 1_500 },
      reorganisations: 0,
      cache: {
        entries: 0,
        bytes: 0,
        limit: 1,
        diskEntries: 0,
        diskBytes: 0,
        diskLimit: 1,
        hits: 0,
        shared: 0,
        local: 0,
        misses: 0,
        dropped: 0,
      },
      connections: 0,
      methods: [{ method: 'getinfo', calls: 3, errors: 1, cached: 1, rate: 0.1, p50: 5, p99: 20 }],
    }),
    async *traffic(): AsyncGenerator<Traffic, undefined, void> {
      const call = {
        number: 1,
        at: 1,
        caller: 'planchet',
        method: 'getinfo',
        params: '[]',
        paramsCut: false,
        source: 'upstream' as const,
      };
      yield { calls: [{ ...call, milliseconds: 1, bytes: 2, status: 200, reason: null, failure: null }], skipped: 0 };
      return undefined;
    },
    params: () => ({ params: '[]' }),
    bodies: () => ({
      kept: 'whole',
      method: 'getinfo',
      params: '[]',
      answer: '{"result":1}',
      answerCut: false,
      isRead: true,
      masked: false,
    }),
    replay: async () => ({ status: 200, milliseconds: 1, answer: '{"result":1}', answerCut: false }),
    history: () => ({
      from: 0,
      stepMs: 5_000,
      total: { calls: [], refused: [], failed: [], stale: [], p50: [], p95: [] },
      methods: [],
    }),
    commands: () => [{ name: 'getinfo', summary: '', withoutNode: 'agreed', leftOut: [], parameters: [] }],
    keys: {
      list: async () => [...keys.values()],
      create: async ({ name, methods, rate, bodyBytes, expiresAt, dailyCalls = null }) => {
        const id = `key-${keys.size + 1}`;
        const usage = { calls: 0, errors: 0, bytes: 0 };
        const key = {
          id,
          name,
          methods,
          rate,
          bodyBytes,
          dailyCalls,
          createdAt: 1,
          expiresAt,
          revokedAt: null,
          lastUsedAt: null,
          lastMethod: null,
          today: usage,
          month: usage,
          publicRequests: { asked: 0, share: null, waiting: 0 },
        };
        keys.set(id, key);
        return { key, username: id, password: 'shown once' };
      },
      revoke: async ({ id }) => {
        const key = keys.get(id);
        if (key === undefined) throw new PlanchetError({ code: 'not-found', message: 'There is no such key.' });
        return { ...key, revokedAt: 2 };
      },
      rotate: async ({ id }) => {
        const key = keys.get(id);
        if (key === undefined) throw new PlanchetError('gateway.key-missing');
        return { key, username: id, password: 'another' };
      },
      restore: async ({ id }) => {
        const key = keys.get(id);
        if (key === undefined) throw new PlanchetError('gateway.key-missing');
        return key;
      },
    },
    origins: {
      list: async () => [...origins.values()],
      pair: async ({ origin }) => {
        const paired = { origin, createdAt: 1, expiresAt: null, keyId: null };
        origins.set(origin, paired);
        return paired;
      },
      unpair: async ({ origin }) => {
        origins.delete(origin);
      },
      restore: async ({ origin }) => {
        const paired = { origin, createdAt: 1, expiresAt: null, keyId: null };
        origins.set(origin, paired);
        return paired;
      },
      requests: async () => [...requests.values()],
      decide: async ({ id, allow, expiresAt }) => {
        const request = requests.get(id);
        if (request === undefined)
          throw new PlanchetError({ code: 'not-found', message: 'This page does not wait any more.' });
        requests.delete(id);
        const { origin } = request;
        if (allow) origins.set(origin, { origin, createdAt: 1, expiresAt, keyId: 'key-1' });
      },
    },
    test: async ({ bitcoinRpcUrl = 'http://127.0.0.1:1/' }) => [
      { subject: 'upstream', address: bitcoinRpcUrl, passed: false, steps: [] },
    ],
    connection: () => ({
      rpc: 'http://127.0.0.1:8332',
      zmq: null,
      username: 'planchet',
      passwordSet: true,
      passwordGenerated: true,
      cookieFile: '/data/.cookie',
    }),
    revealPassword: () => ({ password }),
    rotatePassword: async () => {
      password = 'second';
      return { password };
    },
  };
}
