import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ServiceOutput } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ServiceOutputs } from './service-outputs.tsx';

const output = (uid: string, changes: Partial<ServiceOutput> = {}): ServiceOutput => ({
  uid,
  createdAt: 0,
  name: `Tide ${uid}`,
  subType: 'collectionItem',
  contentType: 'image/png',
  state: 'unused',
  inMint: false,
  ...changes,
});

describe('the outputs of a project at the token service', () => {
  const all = [output('a'), output('b', { inMint: true }), output('c', { state: 'on-chain' })];

  it('are listed with both filters', async () => {
    const asked: unknown[] = [];
    const list = ({ filter }: { filter?: unknown }): ServiceOutput[] => {
      asked.push(filter);
      return all;
    };
    const user = renderPart(<ServiceOutputs projectUid="p1" />, { host: { outputs: { list } } });
    expect(await screen.findByText('In a mint')).toBeTruthy();
    await user.click(screen.getByRole('combobox', { name: 'On chain' }));
    await user.click(await screen.findByRole('option', { name: 'Not on chain' }));
    await user.click(screen.getByRole('combobox', { name: 'Role' }));
    await user.click(await screen.findByRole('option', { name: 'Items' }));
    await expect.poll(() => asked).toEqual([{}, { onChain: false }, { onChain: false, type: 'collectionItem' }]);
  });

  it('are renamed where nothing needs them, and nowhere else', async () => {
    const asked: unknown[] = [];
    const update = (input: unknown): void => {
      asked.push(input);
    };
    const user = renderPart(<ServiceOutputs projectUid="p1" />, { host: { outputs: { list: () => all, update } } });
    const buttons = await screen.findAllByRole('button', { name: 'Rename' });
    expect(buttons).toHaveLength(1);
    await user.click(buttons[0] as HTMLElement);
    const dialog = await screen.findByRole('dialog');
    const field = within(dialog).getByRole('textbox', { name: 'Name' });
    await user.clear(field);
    await user.type(field, 'Ebb');
    await user.click(within(dialog).getByRole('button', { name: 'Save' }));
    await expect.poll(() => asked).toEqual([{ projectUid: 'p1', uid: 'a', name: 'Ebb' }]);
  });
});
