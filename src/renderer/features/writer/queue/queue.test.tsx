import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { PlanchetError, type WriterStatus, writerStates } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { Queue } from './queue.tsx';

it('a queue that is held up says why, and when it is tried again', async () => {
  const status: WriterStatus = {
    states: Object.fromEntries(writerStates.names.map((state) => [state, 0])) as WriterStatus['states'],
    ...{ documents: 1, bytes: 2, acceptedRate: 0, writtenRate: 0, oldestOpenSince: 1, spentToday: 0, dailySpend: 1 },
    ...{ funding: 'wallet', database: 'sqlite', at: 1 },
    degraded: new PlanchetError('merchant.unreachable', { origin: 'http://m', reason: 'refused' }).toFailure(),
    nextAttemptAt: Date.now() + 40_000,
  };
  renderPart(<Queue />, { host: { writer: { status: () => status, usage: () => [] } } });
  const reason = await screen.findByRole('alert');
  expect(reason.textContent).toContain('The miner at http://m cannot be reached');
  expect(reason.textContent).toMatch(/Next attempt in [34]\d sec\./);
});
