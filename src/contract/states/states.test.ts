import { describe, expect, it } from 'vitest';
import {
  mintStates,
  type StateFlag,
  type StateTable,
  tokenJobStates,
  transactionStates,
  writerStates,
} from './states.ts';

const tables: Record<string, StateTable<string, string>> = {
  mintStates,
  tokenJobStates,
  transactionStates,
  writerStates,
};
/** Each flag implies the one before it. */
const progress: readonly StateFlag[] = ['signed', 'submitted', 'onNetwork', 'mined'];

describe('state tables', () => {
  it.each(Object.entries(tables))(
    'keep every progress flag of %s once it is set, up to the final state',
    (_, table) => {
      const onTheWay = table.names.filter((name) => table.is(name, 'mined') || !table.is(name, 'final'));
      for (const flag of progress) {
        const values = onTheWay.map((name) => table.is(name, flag));
        expect(values).toEqual([...values].sort((a, b) => Number(a) - Number(b)));
      }
      for (const name of table.names) {
        const values = progress.map((flag) => table.is(name, flag));
        expect(values).toEqual([...values].sort((a, b) => Number(b) - Number(a)));
      }
    },
  );

  it.each(Object.entries(tables))('follow no final state of %s, and end with a final one', (_, table) => {
    for (const name of table.having('final')) expect(table.is(name, 'followed')).toBe(false);
    expect(table.is(table.names.at(-1) as string, 'final')).toBe(true);
  });

  it('group the states of a mint by what can still happen to its coins', () => {
    expect(mintStates.having('signed')).toEqual(['signed', 'submitted', 'seen', 'mined', 'proven']);
    expect(mintStates.having('followed')).toEqual(['submitted', 'seen', 'mined']);
    expect(mintStates.having('final')).toEqual(['proven', 'cancelled']);
  });

  it('order the states and refuse an unknown name', () => {
    expect(mintStates.indexOf('seen')).toBeLessThan(mintStates.indexOf('mined'));
    expect(() => mintStates.row('lost' as never)).toThrow('no state named lost');
  });
});
