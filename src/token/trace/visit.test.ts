import { expect, it } from 'vitest';
import { type LazyTx, runSteps, satoshis } from '../../chain/index.ts';
import { outputsOf } from './visit.ts';

it('a transaction may have more spent outputs than a function takes arguments', () => {
  const outputCount = 130_000;
  const output = { satoshis: satoshis(1), script: new Uint8Array() };
  const walked = { outputCount, outputs: () => Array(outputCount).fill(output).values() } as unknown as LazyTx;
  const vouts = new Set(Array(outputCount).keys());
  expect(runSteps(outputsOf(walked, 'ab'.repeat(32), vouts))).toHaveLength(outputCount);
});
