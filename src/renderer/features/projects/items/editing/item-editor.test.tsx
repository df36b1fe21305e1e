import { modals } from '@mantine/modals';
import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { renderPart } from '../../../../test-support/render.tsx';
import { item } from '../../../../test-support/samples.ts';
import { openItem } from './item-editor.tsx';

const description = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Description' });

/** Opens the dialog of an item, or of a collection's own token. */
function open(subType: typeof item.subType = 'single') {
  const user = renderPart(null);
  openItem({ ...item, subType });
  return user;
}

afterEach(() => modals.closeAll());

describe('the dialog of an item', () => {
  it.each(['single', 'collection'] as const)('asks before it discards what was typed about a %s', async (subType) => {
    const user = open(subType);
    await user.type(await description(), 'A long text');
    await user.keyboard('{Escape}');
    expect(await screen.findByText('Discard what you changed?')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Keep editing' }));
    expect((await description()).value).toBe('A long text');
    expect(screen.queryByText('Discard what you changed?')).toBeNull();
    await user.click(document.querySelector('.mantine-Modal-inner') as Element);
    await user.click(await screen.findByRole('button', { name: 'Discard changes' }));
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  });

  it('shows and takes the number 0', async () => {
    const user = renderPart(null);
    openItem({ ...item, subType: 'collectionItem', metadata: { ...item.metadata, mintNumber: 0 } });
    const number = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Number' });
    expect(number.value).toBe('0');
    await user.clear(number);
    await user.type(number, '0');
    expect(number.value).toBe('0');
  });

  it('closes at Escape where nothing was changed', async () => {
    const user = open();
    await description();
    await user.keyboard('{Escape}');
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  });

  it('stays open where the save of an item before it ends late', async () => {
    const saved = Promise.withResolvers<typeof item>();
    const user = renderPart(null, { host: { items: { update: () => saved.promise } } });
    openItem(item);
    await user.type(await description(), 'Late');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
    openItem({ ...item, id: 'i2', metadata: { ...item.metadata, name: 'Other' } });
    expect(await screen.findByRole('dialog', { name: 'Other' })).toBeTruthy();
    saved.resolve(item);
    expect(await screen.findByText(/1 draft changed/)).toBeTruthy();
    expect(screen.getByRole('dialog', { name: 'Other' })).toBeTruthy();
  });
});
