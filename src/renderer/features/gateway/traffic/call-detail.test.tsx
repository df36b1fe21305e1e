import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { CallBodies, GatewayCall } from '../../../../contract/index.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { CallDetail } from './call-detail.tsx';

const call: GatewayCall = {
  number: 7,
  at: 1,
  caller: 'planchet',
  method: 'sendrawtransaction',
  params: '["00"]',
  paramsCut: false,
  source: 'local',
  milliseconds: 1,
  bytes: 2,
  status: 200,
  reason: null,
  failure: null,
};

function show(changes: Partial<CallBodies>) {
  const replay = vi.fn(() => ({ status: 200, milliseconds: 1, answer: '{"result":"again"}', answerCut: false }));
  const bodies: CallBodies = {
    kept: 'whole',
    method: call.method,
    isRead: false,
    params: call.params,
    answer: '{}',
    answerCut: false,
    masked: false,
    ...changes,
  };
  const user = renderPart(<CallDetail call={call} connection={undefined} onClose={() => {}} />, {
    host: { gateway: { bodies: () => bodies, replay } },
  });
  return { user, replay };
}

const sendAgain = async () => {
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Send again' });
  await expect.poll(() => button.disabled).toBe(false);
  return button;
};

it('the sheet of a call repeats a read-only call at once', async () => {
  const { user, replay } = show({ isRead: true });
  await user.click(await sendAgain());
  expect(await screen.findByText(/^Answer now: 200/)).toBeTruthy();
  expect(replay).toHaveBeenCalledWith({ number: 7 });
});

it('the sheet of a call asks before it repeats a call that may change something', async () => {
  const { user, replay } = show({});
  await user.click(await sendAgain());
  const question = await screen.findByRole('dialog', { name: 'Send sendrawtransaction again?' });
  expect(question.textContent).toContain('may change something');
  await user.click(within(question).getByRole('button', { name: 'Cancel' }));
  await expect.poll(() => screen.queryByRole('dialog', { name: /again\?$/ })).toBeNull();
  expect(replay).not.toHaveBeenCalled();
  await user.click(await sendAgain());
  const again = await screen.findByRole('dialog', { name: 'Send sendrawtransaction again?' });
  await user.click(within(again).getByRole('button', { name: 'Send again' }));
  expect(await screen.findByText(/^Answer now: 200/)).toBeTruthy();
  expect(replay).toHaveBeenCalledTimes(1);
});
