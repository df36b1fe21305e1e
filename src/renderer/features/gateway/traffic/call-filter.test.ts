import { describe, expect, it } from 'vitest';
import type { GatewayCall } from '../../../../contract/index.ts';
import { chipsOf, filterCalls, noFilter, toggleChip, toneOf } from './call-filter.ts';

const call = (number: number, of: Partial<GatewayCall> = {}): GatewayCall => ({
  number,
  at: 1,
  caller: 'indexer',
  method: 'getblock',
  params: '[]',
  paramsCut: false,
  source: 'cache',
  milliseconds: 1,
  bytes: 1,
  status: 200,
  reason: null,
  failure: null,
  ...of,
});

const calls = [
  call(1),
  call(2, { source: 'upstream' }),
  call(3, { method: 'getinfo', status: 500 }),
  call(4, { caller: 'wallet' }),
  call(5, { caller: 'console', method: 'help' }),
  call(6, { caller: 'nobody', method: '', source: 'refused', status: 401 }),
];
const shown = (filter: Partial<typeof noFilter>): number[] =>
  filterCalls(calls, { ...noFilter, ...filter }).map(({ number }) => number);

describe('the chips of the traffic', () => {
  it('hide the calls of the page itself by default', () => {
    expect(shown({})).toEqual([1, 2, 3, 4, 6]);
    expect(shown({ own: true })).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('match any chosen value within a group, and all groups together', () => {
    expect(shown({ caller: ['indexer', 'wallet'] })).toEqual([1, 2, 3, 4]);
    expect(shown({ caller: ['indexer', 'wallet'], source: ['cache'] })).toEqual([1, 3, 4]);
    expect(shown({ errors: true })).toEqual([3, 6]);
    expect(shown({ errors: true, method: ['getinfo'] })).toEqual([3]);
    expect(toggleChip(toggleChip(noFilter, 'method', 'getblock'), 'method', 'getblock')).toEqual(noFilter);
  });

  it('count the calls they would show, largest first, and stay while they are chosen', () => {
    const chips = chipsOf(calls, { ...noFilter, source: ['cache'] });
    expect(chips.source).toEqual([
      { value: 'cache', count: 3 },
      { value: 'refused', count: 1 },
      { value: 'upstream', count: 1 },
    ]);
    expect(chips.caller).toEqual([
      { value: 'indexer', count: 2 },
      { value: 'wallet', count: 1 },
    ]);
    expect(chips).toMatchObject({ errors: 1, own: 1 });
    const cookie = calls.map((call) => ({ ...call, caller: 'cookie' }));
    // One value that all calls have narrows nothing; one that some do not have does.
    expect(chipsOf(cookie, noFilter).caller).toEqual([]);
    expect(chipsOf(cookie, { ...noFilter, caller: ['cookie'] }).caller).toEqual([{ value: 'cookie', count: 6 }]);
    const [first, ...rest] = cookie;
    const refused = [{ ...(first as GatewayCall), caller: '' }, ...rest];
    expect(chipsOf(refused, noFilter).caller).toEqual([{ value: 'cookie', count: 5 }]);
    expect(chipsOf([], { ...noFilter, method: ['getblock'] }).method).toEqual([{ value: 'getblock', count: 0 }]);
  });
});

it('a stale answer does not have the colour of a good one', () => {
  expect(toneOf({ source: 'stale', status: 200 })).toBe('wait');
  expect(toneOf({ source: 'cache', status: 200 })).toBe('done');
});

it('a failed call has the failure colour, whatever answered it', () => {
  expect(toneOf({ source: 'local', status: 404 })).toBe('fail');
  expect(toneOf({ source: 'local', status: 200 })).toBe('done');
});
