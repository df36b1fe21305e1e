import { useIsMutating } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { useSource } from './use-source.ts';

function Part() {
  const { file, send, clear } = useSource();
  const underWay = useIsMutating();
  return (
    <>
      {['first', 'second'].map((name) => (
        <button key={name} type="button" onClick={() => send(new File([name], name))}>
          {name}
        </button>
      ))}
      <button type="button" onClick={clear}>
        clear
      </button>
      <p role="status">{file?.name}</p>
      <p role="timer">{underWay}</p>
    </>
  );
}

/** Drops these files one after the other; the host has received none of them. */
async function drop(...names: string[]) {
  const uploads: PromiseWithResolvers<{ uploadId: string; bytes: number }>[] = [];
  const upload = () => {
    const call = Promise.withResolvers<{ uploadId: string; bytes: number }>();
    uploads.push(call);
    return call.promise;
  };
  const user = renderPart(<Part />, { host: { tx: { upload } } });
  for (const [index, name] of names.entries()) {
    await user.click(screen.getByRole('button', { name }));
    await expect.poll(() => uploads.length).toBe(index + 1);
  }
  const received = (index: number): void => uploads[index]?.resolve({ uploadId: `u${index}`, bytes: 1 });
  return { user, received };
}

const settled = () => expect.poll(() => screen.getByRole('timer').textContent).toBe('0');
const shown = () => screen.getByRole('status').textContent;

it('of two dropped files the last one counts, whichever arrives last', async () => {
  const { received } = await drop('first', 'second');
  received(1);
  await expect.poll(shown).toBe('second');
  received(0);
  await settled();
  expect(shown()).toBe('second');
});

it('a file that arrives after the field was cleared does not come back', async () => {
  const { user, received } = await drop('first');
  await user.click(screen.getByRole('button', { name: 'clear' }));
  received(0);
  await settled();
  expect(shown()).toBe('');
});
