import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { NewKey } from './new-key.tsx';

const host = { gateway: { commands: () => [] } };

it('the form for a key creates a key without limits if none were typed, and clears itself', async () => {
  const create = vi.fn(async () => true);
  const user = renderPart(<NewKey onCreate={create} />, { host });
  const name = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
  await user.type(name, 'indexer{Enter}');
  await expect.poll(() => name.value).toBe('');
  expect(create).toHaveBeenCalledWith({
    name: 'indexer',
    methods: null,
    rate: null,
    bodyBytes: null,
    expiresAt: null,
    dailyCalls: null,
  });
});

it('the form for a key creates no key without a name', async () => {
  const create = vi.fn(async () => true);
  const user = renderPart(<NewKey onCreate={create} />, { host });
  await user.type(screen.getByRole('textbox', { name: 'Name' }), '{Enter}');
  expect(create).not.toHaveBeenCalled();
});

it('the form for a key creates one key although Enter is pressed twice', async () => {
  const created = Promise.withResolvers<void>();
  const create = vi.fn(() => created.promise);
  const user = renderPart(<NewKey onCreate={create} />, { host });
  const name = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
  await user.type(name, 'indexer{Enter}{Enter}');
  created.resolve();
  await expect.poll(() => name.value).toBe('');
  expect(create).toHaveBeenCalledOnce();
});
