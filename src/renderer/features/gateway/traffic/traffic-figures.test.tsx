import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { MethodHistory } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { TrafficFigures } from './traffic-figures.tsx';

const total: MethodHistory['total'] = {
  ...{ calls: [10, 10, 5], refused: [1, 0, 0], failed: [0, 4, 0], stale: [0, 0, 2] },
  ...{ p50: [1, null, 2], p95: [9, null, 30] },
};
const show = (changes: Partial<MethodHistory['total']> = {}) =>
  renderPart(<TrafficFigures history={{ from: 0, stepMs: 5_000, methods: [], total: { ...total, ...changes } }} />);

it('the summary of the traffic shows the rate of the last complete interval, the failures by kind, and the newest durations', () => {
  show();
  expect(screen.getByRole('region', { name: 'Calls a second' }).textContent).toContain('225 in five minutes');
  const errors = screen.getByRole('region', { name: 'Errors' });
  expect(errors.textContent).toContain('20%');
  expect(errors.textContent).toContain('1 not asked, 4 failed, 2 last known');
  expect(screen.getByRole('region', { name: 'p50 / p95' }).textContent).toContain('2 / 30 ms');
});

it('the summary of the traffic shows no share and no durations without calls', () => {
  const none = [0, 0, 0];
  show({ calls: none, refused: none, failed: none, stale: none, p50: [null], p95: [null] });
  expect(screen.getByRole('region', { name: 'Errors' }).textContent).toContain('–');
  expect(screen.getByRole('region', { name: 'p50 / p95' }).textContent).toContain('– / – ms');
});
