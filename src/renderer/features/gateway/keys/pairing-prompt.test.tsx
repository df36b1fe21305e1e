import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { PairingDecision, PairingRequest } from '../../../../contract/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { PairingPrompt } from './pairing-prompt.tsx';

const request: PairingRequest = {
  id: 'r1',
  origin: 'https://wallet.example',
  code: '4711',
  askedAt: Date.now(),
  expiresAt: Date.now() + 60_000,
};

function draw(requests: PairingRequest[], onDecide: (decision: PairingDecision) => void = () => {}) {
  const decisions: PairingDecision[] = [];
  const user = renderPart(<PairingPrompt />, {
    host: {
      gateway: {
        origins: {
          requests: () => requests,
          list: () => [],
          decide: (decision) => {
            onDecide(decision as PairingDecision);
            decisions.push(decision as PairingDecision);
            requests.splice(0, 1);
          },
        },
      },
    },
  });
  return { user, decisions };
}

describe('the prompt for a web page’s access', () => {
  it('is not shown while no page asks', async () => {
    draw([]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('names the exact origin and the code to compare, and grants 30 days by default', async () => {
    const { user, decisions } = draw([request]);
    expect(await screen.findByText('https://wallet.example')).toBeTruthy();
    expect(screen.getByText(/the code 4711/)).toBeTruthy();
    const before = Date.now();
    await user.click(screen.getByRole('button', { name: 'Allow this page' }));
    await expect.poll(() => decisions.length).toBe(1);
    expect(decisions[0]).toMatchObject({ id: 'r1', allow: true });
    const days = ((decisions[0]?.expiresAt ?? 0) - before) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(30);
    expect(days).toBeLessThan(30.01);
  });

  it('warns if the page shows no code', async () => {
    draw([{ ...request, code: null }]);
    expect(await screen.findByText(/no code to compare/)).toBeTruthy();
  });

  it('treats closing as a refusal', async () => {
    const { user, decisions } = draw([request]);
    await screen.findByText('https://wallet.example');
    await user.keyboard('{Escape}');
    await expect.poll(() => decisions.map(({ allow }) => allow)).toEqual([false]);
  });

  it('stays open with the reason if the decision could not be sent', async () => {
    const { user } = draw([request], () => {
      throw refusal({ code: 'not-found', message: 'The request has ended.', hint: 'Ask again from the page.' });
    });
    await user.click(await screen.findByRole('button', { name: 'Allow this page' }));
    expect(await screen.findByText('The request has ended.')).toBeTruthy();
    expect(screen.getByText('Ask again from the page.')).toBeTruthy();
  });
});
