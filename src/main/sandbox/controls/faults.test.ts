import { expect, it } from 'vitest';
import type { SandboxFault } from '../../../contract/index.ts';
import { Faults } from './faults.ts';

const down = (area: SandboxFault['area']): SandboxFault => ({ name: 'http-error', value: 503, times: null, area });
const slow: SandboxFault = { name: 'latency', value: 10, times: null, area: 'woc' };

it.each([
  [{ name: 'http-error', area: 'woc' } as const, [down('cdn'), slow]],
  [{ name: 'http-error' } as const, [slow]],
  [{ area: 'woc' } as const, [down('cdn')]],
  [{ name: 'http-error', area: 'all' } as const, [down('woc'), down('cdn'), slow]],
  [{}, []],
])('Faults.clear removes only the faults that match %j', (cleared, left) => {
  const told: SandboxFault[][] = [];
  const faults = new Faults((list) => told.push(list));
  for (const fault of [down('woc'), down('cdn'), slow]) faults.set(fault);
  told.length = 0;
  faults.clear(cleared);
  expect(faults.list()).toEqual(left);
  expect(told).toEqual(left.length === 3 ? [] : [left]);
});
