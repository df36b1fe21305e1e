import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { type GatewayKey, PlanchetError } from '../../../../contract/index.ts';
import { type HostAnswers, refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { Keys } from './keys.tsx';

const usage = { calls: 12, errors: 1, bytes: 900 };
const key: GatewayKey = {
  ...{ id: 'key-0123456789', name: 'indexer', methods: ['getblock'], rate: null, bodyBytes: null, dailyCalls: null },
  ...{ createdAt: 1, expiresAt: null, revokedAt: null, lastUsedAt: Date.now(), lastMethod: 'getblock' },
  ...{ today: usage, month: usage, publicRequests: { asked: 0, share: null, waiting: 0 } },
};

function open() {
  const rotate = vi.fn(() => ({ key, username: key.id, password: 'another' }));
  const keys = { list: () => [key], rotate };
  const user = renderPart(<Keys />, {
    host: { gateway: { keys, commands: () => [], origins: { list: () => [], requests: () => [] } } },
  });
  return { user, rotate };
}

it('the list of keys shows the owner and the last call of a key, and links to its calls', async () => {
  open();
  const row = await screen.findByRole('row', { name: /indexer/ });
  expect(within(row).getAllByText('getblock')).toHaveLength(2);
  expect(within(row).getByText(/^key-/)).toBeDefined();
  expect(within(row).getByRole('link', { name: '12' }).getAttribute('href')).toBe('#/gateway/traffic?caller=indexer');
});

it('a key gets a new password, which is shown, after a confirmation that the current one ends', async () => {
  const { user, rotate } = open();
  await user.click(await screen.findByRole('button', { name: 'New password for indexer' }));
  const question = await screen.findByRole('dialog', { name: 'Make a new password for indexer?' });
  expect(rotate).not.toHaveBeenCalled();
  await user.click(within(question).getByRole('button', { name: 'Make a new password' }));
  expect(await screen.findByText('key-0123456789:another')).toBeDefined();
  expect(rotate).toHaveBeenCalledWith({ id: key.id });
});

it('a revocation that fails is told although another one was begun in the meantime', async () => {
  const other = { ...key, id: 'key-9876543210', name: 'wallet' };
  const calls = new Map<string, PromiseWithResolvers<GatewayKey>>();
  const revoke = ({ id }: { id: string }): Promise<GatewayKey> => {
    const call = Promise.withResolvers<GatewayKey>();
    calls.set(id, call);
    return call.promise;
  };
  const keys = { list: () => [key, other], revoke };
  const gateway = { keys, commands: () => [], origins: { list: () => [], requests: () => [] } };
  const user = renderPart(<Keys />, { host: { gateway } as HostAnswers });
  await user.click(await screen.findByRole('button', { name: 'Revoke indexer' }));
  await user.click(screen.getByRole('button', { name: 'Revoke wallet' }));
  await expect.poll(() => calls.size).toBe(2);
  calls.get(key.id)?.reject(refusal(new PlanchetError('general.disk-full').toFailure()));
  calls.get(other.id)?.resolve({ ...other, revokedAt: 1 });
  expect(await screen.findByText(new PlanchetError('general.disk-full').message)).toBeDefined();
});
