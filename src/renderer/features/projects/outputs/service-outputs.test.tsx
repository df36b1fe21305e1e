import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ServiceOutput } from '../../../../contract/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { item, project as sample } from '../../../test-support/samples.ts';
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

const project = { ...sample, uid: 'p1', type: 'collection' as const };

describe('the outputs of a project at the token service', () => {
  const all = [output('a'), output('b', { inMint: true }), output('c', { state: 'on-chain' })];

  it('are listed with both filters', async () => {
    const asked: unknown[] = [];
    const list = ({ filter }: { filter?: unknown }): ServiceOutput[] => {
      asked.push(filter);
      return all;
    };
    const user = renderPart(<ServiceOutputs project={project} />, { host: { outputs: { list } } });
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
    const user = renderPart(<ServiceOutputs project={project} />, { host: { outputs: { list: () => all, update } } });
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

  it('are deleted together, and one that was refused is told of whatever became of the others', async () => {
    const first = Promise.withResolvers<void>();
    const user = renderPart(<ServiceOutputs project={project} />, {
      host: {
        outputs: {
          list: () => [output('a'), output('b')],
          remove: async ({ uid }) => {
            if (uid === 'b') return first.resolve();
            await first.promise;
            throw refusal({ code: 'conflict', message: 'It is in a mint by now.' });
          },
        },
      },
    });
    await user.click(await screen.findByRole('checkbox', { name: 'Select all rows' }));
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('It is in a mint by now.')).toBeTruthy();
  });

  it('are made alone, of text with its type and further metadata', async () => {
    const sent: { contentType: string }[] = [];
    const made: unknown[] = [];
    const user = renderPart(<ServiceOutputs project={project} />, {
      host: {
        files: {
          begin: (input) => {
            sent.push(input);
            return { uploadId: 'u1' };
          },
          append: ({ piece }) => ({ received: piece.size }),
          finish: () => item.file,
        },
        outputs: {
          list: () => all,
          create: (input) => {
            made.push(input);
            return { uid: 'new' };
          },
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'New output' }));
    const dialog = await screen.findByRole('dialog');
    const create = within(dialog).getByRole('button', { name: 'Create output' });
    await user.click(within(dialog).getByRole('radio', { name: 'Text' }));
    await user.type(within(dialog).getByRole('textbox', { name: 'Text' }), 'low tide');
    await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'Tide');
    const data = within(dialog).getByRole('textbox', { name: 'Further metadata' });
    await user.type(data, '7');
    expect(create).toHaveProperty('disabled', true);
    await user.clear(data);
    await user.type(data, '{{"mintNumber":7}');
    await user.click(create);
    await expect
      .poll(() => made)
      .toEqual([
        {
          projectUid: 'p1',
          sha256: item.file.sha256,
          subType: 'collectionItem',
          name: 'Tide',
          description: '',
          subTypeData: '{"mintNumber":7}',
        },
      ]);
    expect(sent).toMatchObject([{ name: 'Tide.txt', bytes: 8, contentType: 'text/plain;charset=utf-8' }]);
  });
});
