import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../test-support/render.tsx';
import { useActions } from './use-actions.ts';

function Part({ run }: { run: (name: string) => Promise<void> }) {
  const { mutate, error } = useActions({ mutationFn: run });
  return (
    <>
      {['first', 'second'].map((name) => (
        <button key={name} type="button" onClick={() => mutate(name)}>
          {name}
        </button>
      ))}
      <p role="alert">{error?.message}</p>
    </>
  );
}

it('the failure of an action is told although another has begun and ended since, and goes as the next begins', async () => {
  const calls: { readonly name: string; readonly call: PromiseWithResolvers<void> }[] = [];
  const user = renderPart(
    <Part
      run={(name) => {
        const call = Promise.withResolvers<void>();
        calls.push({ name, call });
        return call.promise;
      }}
    />,
  );
  const begin = async (name: string): Promise<PromiseWithResolvers<void>> => {
    const before = calls.length;
    await user.click(screen.getByRole('button', { name }));
    await expect.poll(() => calls.length).toBe(before + 1);
    return (calls[before] as (typeof calls)[number]).call;
  };
  const told = () => screen.getByRole('alert').textContent;
  const first = await begin('first');
  const second = await begin('second');
  first.reject(new Error('The host is away.'));
  await expect.poll(told).toBe('The host is away.');
  second.resolve();
  await second.promise;
  expect(told()).toBe('The host is away.');
  await begin('second');
  await expect.poll(told).toBe('');
});
