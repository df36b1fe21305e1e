import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../../contract/index.ts';
import { type HostAnswers, refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { item } from '../../../test-support/samples.ts';
import { UploadList } from './upload-list.tsx';
import { useUploads } from './uploads.ts';

const file = (name: string): File => new File(['moon'], name, { type: name.endsWith('.png') ? 'image/png' : '' });

function draw(host: HostAnswers) {
  const added: Item[] = [];
  const user = renderPart(<UploadList projectUid="p1" onAdded={(one) => added.push(one)} />, { host });
  return {
    user,
    added,
    add: (names: string[]) => useUploads.getState().add('p1', names.map(file), (one) => added.push(one)),
  };
}

const stored: HostAnswers['files'] = {
  begin: () => ({ uploadId: 'u1' }),
  append: () => ({ received: 4 }),
  finish: () => item.file,
  abort: () => {},
};

afterEach(() => useUploads.setState({ list: [], missing: [] }));

describe('the list of uploads', () => {
  it('is not there while nothing is added', () => {
    draw({});
    expect(screen.queryByRole('region', { name: /^Adding/ })).toBeNull();
  });

  it('makes an item of each file, named after it, and empties itself', async () => {
    const created: unknown[] = [];
    const { add, added } = draw({
      files: stored,
      items: {
        create: (input) => {
          created.push(input.metadata.name);
          return { ...item, id: `i${created.length}` };
        },
      },
    });
    add(['copper-moon.png', 'tide.png', 'dawn.png']);
    expect(await screen.findByRole('region', { name: /^Adding/ })).toBeTruthy();
    await expect.poll(() => added.map(({ id }) => id)).toEqual(['i1', 'i2', 'i3']);
    expect(created).toHaveLength(3);
    await waitFor(() => expect(screen.queryByRole('region', { name: /^Adding/ })).toBeNull());
  });

  it('keeps a refused file with the reason and the fix, and can try it again', async () => {
    let refuse = true;
    const { user, add, added } = draw({
      files: {
        ...stored,
        begin: () => {
          if (refuse)
            throw refusal({ code: 'file-too-large', message: 'The file is too large.', hint: 'Make it smaller.' });
          return { uploadId: 'u1' };
        },
      },
      items: { create: () => item },
    });
    add(['moon.png']);
    expect(await screen.findByText('The file is too large.')).toBeTruthy();
    expect(screen.getByText('Make it smaller.')).toBeTruthy();
    refuse = false;
    await user.click(screen.getByRole('button', { name: 'Try moon.png again' }));
    await expect.poll(() => added).toEqual([item]);
  });

  it('asks for the type of a file whose name and bytes do not tell it, and adds the file as that type', async () => {
    const types: string[] = [];
    const { user, add, added } = draw({
      files: {
        ...stored,
        begin: ({ contentType }) => {
          types.push(contentType);
          if (contentType === '') throw refusal({ code: 'content-type-unknown', message: 'The type is not known.' });
          return { uploadId: 'u1' };
        },
      },
      items: { create: () => item },
    });
    add(['moon.zzz']);
    await user.type(await screen.findByRole('textbox', { name: 'Type of moon.zzz' }), 'model/moon');
    await user.click(screen.getByRole('button', { name: 'Add as this type' }));
    await expect.poll(() => added).toEqual([item]);
    expect(types.at(-1)).toBe('model/moon');
  });

  it('removes a cancelled file and shows no message', async () => {
    const { user, add, added } = draw({ files: { ...stored, begin: () => new Promise(() => {}) } });
    add(['moon.png']);
    await user.click(await screen.findByRole('button', { name: 'Cancel moon.png' }));
    await waitFor(() => expect(screen.queryByText('moon.png')).toBeNull());
    expect(added).toEqual([]);
  });

  it('names files that have to be dropped again, and adds each under the key it had', async () => {
    const pending = { projectUid: 'p1', drop: 'd1', size: 4, addedAt: 0, position: 0 };
    const key = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
    useUploads.setState({
      missing: [
        { ...pending, key: key(1), name: 'moon.png', isDone: true },
        { ...pending, key: key(2), name: 'tide.png' },
        { ...pending, key: key(3), name: 'dawn.png' },
      ],
    });
    const keys: Record<string, string | undefined> = {};
    const { user, add, added } = draw({
      files: stored,
      items: {
        create: ({ fileName, idempotencyKey }) => {
          keys[fileName] = idempotencyKey;
          return { ...item, id: fileName };
        },
      },
    });
    const panel = await screen.findByRole('region', { name: '2 files have to be dropped again' });
    expect(
      within(panel)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['tide.png', 'dawn.png']);
    add(['moon.png', 'tide.png', 'dusk.png']);
    await expect.poll(() => added).toHaveLength(3);
    expect(keys).toMatchObject({ 'moon.png': key(1), 'tide.png': key(2) });
    expect([key(1), key(2), key(3)]).not.toContain(keys['dusk.png']);
    expect(await screen.findByRole('region', { name: '1 file has to be dropped again' })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Leave them out' }));
    await waitFor(() => expect(screen.queryByText('dawn.png')).toBeNull());
  });
});
