import { describe, expect, it } from 'vitest';
import type {
  Failure,
  LiveEvent,
  MintJobSummary,
  Run,
  ServiceStatus,
  Snapshot,
  TokenJob,
} from '../../../contract/index.ts';
import { textsIn } from '../texts/texts.ts';
import { afterEvent, type Happening, type HostState, problemsOf, progressOf, unknownHost } from './host-state.ts';
import { noticeOf } from './notifier.ts';
import { stateText, trayState } from './tray.ts';

const saying = (message: string): Failure => ({ code: 'upstream-error', message });

const texts = textsIn('en');
const service = (name: 'gateway' | 'writer', status: ServiceStatus['status']): LiveEvent => ({
  type: 'service',
  service: { name, status, since: 1 },
});
// Nothing else of a job or a run matters here.
const job = (fields: Partial<MintJobSummary>): LiveEvent => ({
  type: 'job',
  job: {
    id: 'j',
    active: false,
    awaitingApproval: false,
    failure: null,
    state: 'built',
    tokenCount: 3,
    ...fields,
  } as MintJobSummary,
});
const run = (fields: Partial<Run>): LiveEvent => ({
  type: 'run',
  run: { id: 'r', state: 'minting', waits: false, failure: null, items: 10, minted: 0, ...fields } as Run,
});
const tokenJob = (awaitingApproval: boolean): LiveEvent => ({
  type: 'token-job',
  job: { id: 't', active: false, awaitingApproval } as TokenJob,
});
const snapshot = (fields: Partial<Snapshot> = {}): LiveEvent => ({
  type: 'snapshot',
  snapshot: {
    app: { endpoints: { rpc: 'http://127.0.0.1:8332' } },
    services: [],
    jobs: [],
    wallet: { state: 'ready' },
    language: 'system',
    ...fields,
  } as unknown as Snapshot,
});
const failure = { code: 'internal', message: 'm' } as const;

function play(...events: LiveEvent[]): { state: HostState; happened: Happening[] } {
  const happened: Happening[] = [];
  let state = unknownHost;
  for (const event of events) {
    const step = afterEvent(state, event);
    state = step.state;
    happened.push(...step.happened);
  }
  return { state, happened };
}

describe('the state of the tray', () => {
  it('is starting until the host has told something', () => {
    expect(trayState(unknownHost)).toBe('starting');
    expect(trayState(play(snapshot()).state)).toBe('running');
  });

  it('counts services that failed or are degraded, but no faults that were turned on', () => {
    const { state } = play(
      snapshot(),
      service('gateway', { state: 'running', degraded: saying('no upstream') }),
      service('writer', { state: 'failed', failure }),
    );
    expect(problemsOf(state)).toBe(2);
    expect(stateText(state, texts)).toBe('2 problems');
    const { state: better } = play(
      snapshot(),
      service('gateway', { state: 'running', degraded: saying('x'), byFault: true }),
    );
    expect(trayState(better)).toBe('running');
  });

  it('shows work before the lock, and problems before work', () => {
    const locked = snapshot({ wallet: { state: 'locked' } as Snapshot['wallet'] });
    expect(trayState(play(locked).state)).toBe('locked');
    expect(stateText(play(locked, job({ active: true })).state, texts)).toBe('1 job is running');
    expect(trayState(play(locked, job({ active: true }), service('writer', { state: 'failed', failure })).state)).toBe(
      'problem',
    );
  });

  it('keeps runs at work when the host sends a fresh snapshot', () => {
    const { state } = play(snapshot(), run({ minted: 5 }), job({ active: true }), snapshot());
    expect([...state.working]).toEqual([['run r', 0.5]]);
  });
});

describe('the progress in the taskbar', () => {
  it('is the share of all runs, unknown for single mints, and none without work', () => {
    expect(progressOf(play(snapshot()).state)).toBeNull();
    expect(progressOf(play(snapshot(), job({ active: true })).state)).toBe('unknown');
    expect(progressOf(play(snapshot(), run({ minted: 2 }), run({ id: 's', minted: 8 } as Partial<Run>)).state)).toBe(
      0.5,
    );
  });
});

describe('what is told', () => {
  it.each<[string, LiveEvent[], Happening[]]>([
    [
      'a mint that is proven',
      [job({ active: true }), job({ state: 'proven' })],
      [{ kind: 'mint-done', tokens: 3, view: '/jobs/j' }],
    ],
    [
      'a mint that failed',
      [job({ active: true }), job({ failure })],
      [{ kind: 'mint-failed', tokens: 3, view: '/jobs/j' }],
    ],
    ['no mint that was cancelled', [job({ active: true }), job({ state: 'cancelled' })], []],
    ['no mint that had ended before', [job({ state: 'proven' })], []],
    [
      'a mint that waits for approval, once',
      [job({ active: true }), job({ awaitingApproval: true }), job({ awaitingApproval: true })],
      [{ kind: 'mint-approval', view: '/jobs/j' }],
    ],
    [
      'a run that is done',
      [run({}), run({ state: 'done', minted: 10 })],
      [{ kind: 'run-done', tokens: 10, view: '/runs/r' }],
    ],
    [
      'a run that stopped',
      [run({}), run({ state: 'paused', failure })],
      [{ kind: 'run-stopped', tokens: 0, view: '/runs/r' }],
    ],
    ['no run that was paused on demand', [run({}), run({ state: 'paused' })], []],
    [
      'a token transaction that waits',
      [tokenJob(true), tokenJob(true)],
      [{ kind: 'token-approval', view: '/redeemable-tokens/jobs/t' }],
    ],
    [
      'the connection, lost and back',
      [
        service('gateway', { state: 'running' }),
        service('gateway', { state: 'running', degraded: saying('x') }),
        service('gateway', { state: 'running', degraded: saying('y') }),
        service('gateway', { state: 'running' }),
      ],
      [
        { kind: 'lost', view: '/gateway' },
        { kind: 'back', view: '/gateway' },
      ],
    ],
    [
      'a program that asks, and another one',
      [1, 1, 2, 1, 0, 1].map((waiting) => ({ type: 'approvals', waiting }) as const),
      Array.from({ length: 3 }, () => ({ kind: 'program-approval', view: '/approvals' }) as const),
    ],
    [
      'a page that asks, once',
      [
        { type: 'pairing', requests: [{ id: 'p', origin: 'https://a.example', code: null, askedAt: 1, expiresAt: 2 }] },
        { type: 'pairing', requests: [{ id: 'p', origin: 'https://a.example', code: null, askedAt: 1, expiresAt: 2 }] },
      ],
      [{ kind: 'page-approval', origin: 'https://a.example', view: '/gateway' }],
    ],
  ])('is %s', (_what, events, told) => {
    expect(play(snapshot(), ...events).happened).toEqual(told);
    for (const each of told)
      for (const language of ['en', 'de'] as const) {
        const { title, body } = noticeOf(each, textsIn(language));
        expect(`${title} ${body}`).not.toMatch(/[{}]/);
      }
  });

  it('leaves out what was so before', () => {
    const jobs = [{ id: 'j', active: false, awaitingApproval: true }] as unknown as Snapshot['jobs'];
    expect(play(snapshot({ jobs }), job({ awaitingApproval: true })).happened).toEqual([]);
  });
});
