import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { WriterKey } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS } from '../../test-support/samples.ts';
import { Keys } from './keys.tsx';

const made: WriterKey = {
  keyId: '1'.repeat(16),
  label: 'main…cdef',
  publicKey: `02${'ab'.repeat(32)}`,
  address: ADDRESS,
  createdAt: 1,
  revokedAt: null,
};

it('a key is registered once it can be one, and is not kept in the field', async () => {
  const registered: string[] = [];
  const register = ({ apiKey }: { apiKey: string }) => {
    registered.push(apiKey);
    return made;
  };
  const user = renderPart(<Keys />, { host: { writer: { keys: { list: () => [], register } } } });
  expect(await screen.findByText('No key is registered')).toBeTruthy();
  const field = screen.getByLabelText<HTMLInputElement>('API key');
  const submit = screen.getByRole<HTMLButtonElement>('button', { name: 'Register the key' });
  expect(submit.disabled).toBe(true);
  await user.type(field, 'a b');
  expect(screen.getByText('An API key holds 4 to 256 visible characters, without spaces.')).toBeTruthy();
  expect(submit.disabled).toBe(true);
  await user.clear(field);
  await user.type(field, ' mainnet_0123456789abcdef ');
  await user.click(submit);
  expect(await screen.findByText('The key main…cdef may write now.')).toBeTruthy();
  expect(registered).toEqual(['mainnet_0123456789abcdef']);
  expect(field.value).toBe('');
});

it('a key is revoked only after the question, and one that is revoked cannot be again', async () => {
  const revoked: string[] = [];
  const revoke = ({ keyId }: { keyId: string }) => {
    revoked.push(keyId);
  };
  const list = () => [made, { ...made, keyId: '2'.repeat(16), label: 'old', revokedAt: 2 }];
  const user = renderPart(<Keys />, { host: { writer: { keys: { list, revoke } } } });
  await user.click(await screen.findByRole('button', { name: 'Revoke main…cdef' }));
  expect(screen.queryByRole('button', { name: 'Revoke old' })).toBeNull();
  const dialog = await screen.findByRole('dialog');
  expect(revoked).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Revoke the key' }));
  await expect.poll(() => revoked).toEqual([made.keyId]);
});
