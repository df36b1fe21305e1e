import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { HostAnswers } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { item, project } from '../../test-support/samples.ts';
import { ProjectBin } from './history/bin.tsx';
import { ProjectMenu } from './project-menu.tsx';

it('the menu of a project names the last change and takes it back, by the menu and by Ctrl+Z where no message offers it', async () => {
  const undone: unknown[] = [];
  const items: HostAnswers['items'] = {
    history: { get: () => ({ last: { what: 'edited', items: 3, at: 1 }, inBin: 2 }) },
    undo: (input) => {
      undone.push(input);
      return { what: 'edited', items: 3, at: 1 };
    },
  };
  const user = renderPart(<ProjectMenu project={project} />, { host: { items } });
  await user.keyboard('{Control>}z{/Control}');
  expect(await screen.findByText('Undone: 3 drafts changed.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'More about this project' }));
  expect(await screen.findByRole('menuitem', { name: 'Bin (2)' })).toBeTruthy();
  await user.click(await screen.findByRole('menuitem', { name: 'Undo: 3 drafts changed' }));
  await expect.poll(() => undone).toEqual([{ projectUid: project.uid }, { projectUid: project.uid }]);
});

it('the menu of a project puts a removed draft back, and empties the bin only at the second press', async () => {
  let bin = [
    { item, removedAt: 1 },
    { item: { ...item, id: 'other', metadata: { ...item.metadata, name: 'Other' } }, removedAt: 2 },
  ];
  const items: HostAnswers['items'] = {
    history: {
      bin: () => bin,
      emptyBin: () => {
        bin = [];
      },
    },
    restore: ({ ids }) => {
      bin = bin.filter((one) => !ids.includes(one.item.id));
    },
  };
  const user = renderPart(<ProjectBin projectUid={project.uid} />, { host: { items } });
  await user.click(await screen.findByRole('button', { name: 'Put back: Other' }));
  await expect.poll(() => screen.queryByText('Other')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Empty the bin' }));
  expect(bin).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Empty it for good' }));
  expect(await screen.findByText('Nothing was removed')).toBeTruthy();
});
