import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { renderPart } from '../test-support/render.tsx';
import { Note } from './note.tsx';

/** A label that is rendered with its new text before saving has finished, as when a list is refetched. */
function Label({ saved }: { saved: string[] }) {
  const [text, setText] = useState('Rent');
  const save = async (next: string): Promise<void> => {
    saved.push(next);
    setText(next);
    await new Promise((drawn) => setTimeout(drawn));
  };
  return <Note text={text} save={save} />;
}

it('the undo of a saved label restores the earlier text', async () => {
  const saved: string[] = [];
  const user = renderPart(<Label saved={saved} />);
  await user.click(screen.getByRole('button', { name: /Rent/ }));
  await user.clear(screen.getByRole('textbox'));
  await user.type(screen.getByRole('textbox'), 'Food{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByRole('button', { name: /Rent/ })).toBeTruthy();
  expect(saved).toEqual(['Food', 'Rent']);
});

it('is not saved by an Enter or cancelled by an Escape of an input method', async () => {
  const saved: string[] = [];
  const user = renderPart(<Label saved={saved} />);
  await user.click(screen.getByRole('button', { name: /Rent/ }));
  const field = screen.getByRole<HTMLInputElement>('textbox');
  await user.type(field, 's');
  fireEvent.keyDown(field, { key: 'Enter', isComposing: true });
  fireEvent.keyDown(field, { key: 'Escape', isComposing: true });
  expect([field.isConnected, field.value, saved]).toEqual([true, 'Rents', []]);
});

it('that has to have a text keeps it, and says nothing, where the text was cleared', async () => {
  const saved: string[] = [];
  const user = renderPart(<Note text="Rent" required save={async (next) => saved.push(next)} />);
  await user.click(screen.getByRole('button', { name: /Rent/ }));
  await user.clear(screen.getByRole('textbox'));
  await user.keyboard('{Enter}');
  expect(screen.getByRole('button', { name: /Rent/ })).toBeTruthy();
  expect(saved).toEqual([]);
});
