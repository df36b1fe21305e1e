import { describe, expect, it } from 'vitest';
import type { LiveEvent } from '../../../contract/index.ts';
import { reconnectDelay, runLiveLoop } from './live-loop.ts';

const snapshot = { type: 'snapshot', snapshot: {} } as LiveEvent;
const tip: LiveEvent = { type: 'tip', tip: { hash: '0'.repeat(64), height: 1, time: 0 } };

async function* stream(...events: LiveEvent[]): AsyncIterable<LiveEvent> {
  yield* events;
}

describe('the live loop', () => {
  it('backs off, and resets the delay after a good connection', async () => {
    const log: string[] = [];
    const stop = new AbortController();
    const answers = [
      () => Promise.reject(new TypeError('down')),
      () => Promise.reject(new TypeError('down')),
      () => Promise.resolve(stream(snapshot, tip)),
      () => Promise.reject(new TypeError('down')),
    ];
    await runLiveLoop(
      {
        subscribe: () => {
          const answer = answers.shift();
          if (answer === undefined) {
            stop.abort();
            return Promise.reject(new TypeError('stopped'));
          }
          return answer();
        },
        onEvent: (event) => log.push(event.type),
        onPhase: (phase, attempt) => log.push(`${phase} ${attempt}`),
        isRefused: () => false,
        wait: async (ms) => {
          log.push(`${ms} ms`);
        },
      },
      stop.signal,
    );
    expect(log).toEqual([
      'connecting 1',
      '250 ms',
      'connecting 2',
      '500 ms',
      'snapshot',
      'live 0',
      'tip',
      'reconnecting 1',
      '250 ms',
      'reconnecting 2',
      '500 ms',
    ]);
  });

  it('stops if the host refuses the session', async () => {
    const phases: string[] = [];
    await runLiveLoop(
      {
        subscribe: () => Promise.reject(new Error('401')),
        onEvent: () => {},
        onPhase: (phase) => phases.push(phase),
        isRefused: () => true,
        wait: () => Promise.reject(new Error('must not wait')),
      },
      new AbortController().signal,
    );
    expect(phases).toEqual(['unauthorized']);
  });

  it('never waits longer than eight seconds', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 99].map(reconnectDelay)).toEqual([
      250, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
    ]);
  });
});
