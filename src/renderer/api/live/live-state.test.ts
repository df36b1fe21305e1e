import { describe, expect, it } from 'vitest';
import type { AppInfo, LiveEvent, MintJobSummary, ServiceStatus, Snapshot, Token } from '../../../contract/index.ts';
import { workingMint } from '../../../contract/test-support/working-mint.ts';
import { emptyLiveState, reduceLive, upsert } from './live-state.ts';

const endpoints: AppInfo['endpoints'] = {
  console: null,
  rpc: null,
  zmq: null,
  writer: null,
  sandbox: null,
  baseUrl: null,
  mapi: null,
};
const app: AppInfo = {
  version: '0.1.0',
  network: 'sandbox',
  shell: 'terminal',
  safeMode: false,
  dataDir: '/data',
  platform: 'linux',
  firstStart: false,
  startedAt: 1,
  endpoints,
};
const service = (name: ServiceStatus['name'], state: 'running' | 'starting'): ServiceStatus => ({
  name,
  status: { state },
  since: 1,
});
const job = (id: string, state: MintJobSummary['state']): MintJobSummary => ({ ...workingMint, id, state });
const snapshot: Snapshot = {
  app,
  services: [service('console', 'running'), service('gateway', 'starting')],
  tip: null,
  wallet: {
    state: 'ready',
    network: 'sandbox',
    address: 'm',
    publicKey: null,
    balance: { spendable: 1, confirmed: 1, unconfirmed: 0, reserved: 0, tokens: 0 },
    worthless: true,
  },
  quota: null,
  jobs: [job('1', 'draft')],
  tokens: [],
  notices: [],
  faults: [],
  theme: 'dark',
  language: 'system',
};

function play(...events: LiveEvent[]) {
  return events.reduce(reduceLive, emptyLiveState);
}

describe('the live state', () => {
  it('is replaced completely by each snapshot', () => {
    const first = play({ type: 'snapshot', snapshot });
    expect(first).toEqual(snapshot);
    const second = reduceLive(first, { type: 'snapshot', snapshot: { ...snapshot, jobs: [], theme: 'light' } });
    expect(second.jobs).toEqual([]);
    expect(second.theme).toBe('light');
  });

  it('keeps the order of services and replaces a job in place', () => {
    const state = play(
      { type: 'snapshot', snapshot },
      { type: 'service', service: service('console', 'starting') },
      { type: 'service', service: service('zmq', 'running') },
      { type: 'job', job: job('2', 'draft') },
      { type: 'job', job: job('1', 'mined') },
    );
    expect(state.services.map((one) => [one.name, one.status.state])).toEqual([
      ['console', 'starting'],
      ['gateway', 'starting'],
      ['zmq', 'running'],
    ]);
    expect(state.jobs.map((one) => [one.id, one.state])).toEqual([
      ['2', 'draft'],
      ['1', 'mined'],
    ]);
  });

  it('updates endpoints, notices, tokens and theme', () => {
    const token = { outpoint: `${'a'.repeat(64)}_0` } as Token;
    const state = play(
      { type: 'snapshot', snapshot },
      { type: 'endpoints', endpoints: { ...endpoints, rpc: 'http://127.0.0.1:1' } },
      { type: 'notice', notice: { id: 'n', level: 'info', message: 'm', at: 1 } },
      { type: 'notice', notice: { id: 'o', level: 'info', message: 'm', at: 1 } },
      { type: 'notice-dismissed', id: 'n' },
      { type: 'token', token },
      { type: 'token', token },
      { type: 'theme', theme: 'light' },
      { type: 'language', language: 'de' },
    );
    expect(state.app?.endpoints.rpc).toBe('http://127.0.0.1:1');
    expect(state.notices.map((notice) => notice.id)).toEqual(['o']);
    expect(state.tokens).toHaveLength(1);
    expect(state.theme).toBe('light');
    expect(state.language).toBe('de');
  });

  it('ignores endpoints before the first snapshot', () => {
    expect(play({ type: 'endpoints', endpoints })).toEqual(emptyLiveState);
  });

  it('inserts without changing the given list', () => {
    const list = Object.freeze([{ id: 'a', n: 1 }]);
    expect(upsert(list, { id: 'a', n: 2 }, (entry) => entry.id)).toEqual([{ id: 'a', n: 2 }]);
    expect(upsert(list, { id: 'b', n: 3 }, (entry) => entry.id)).toEqual([
      { id: 'b', n: 3 },
      { id: 'a', n: 1 },
    ]);
    expect(upsert(list, { id: 'b', n: 3 }, (entry) => entry.id, 'last').map((entry) => entry.id)).toEqual(['a', 'b']);
  });
});
