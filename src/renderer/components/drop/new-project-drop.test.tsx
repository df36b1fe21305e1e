import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { takeOver } from '../../lib/dropped-files.ts';
import { renderPart } from '../../test-support/render.tsx';
import { project } from '../../test-support/samples.ts';
import { NewProjectDrop } from './new-project-drop.tsx';

it('dropping one file creates a project named after it', async () => {
  const user = renderPart(<NewProjectDrop />, { host: { projects: { create: ({ name }) => ({ ...project, name }) } } });
  const file = new File(['words'], 'blue-moon.txt', { type: 'text/plain' });
  const dataTransfer = {
    files: [file],
    items: [{ kind: 'file', type: file.type, getAsFile: () => file }],
    types: ['Files'],
  };
  fireEvent.dragEnter(document, { dataTransfer });
  fireEvent.drop(document.querySelector('.mantine-Dropzone-root') as Element, { dataTransfer });
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
  expect(name.value).toBe('Blue moon');
  await user.click(screen.getByRole('button', { name: 'Create project' }));
  await expect.poll(() => location.hash).toBe(`#/projects/${project.uid}`);
  expect(takeOver('another project')).toEqual([]);
  expect(takeOver(project.uid).map((one) => one.name)).toEqual(['blue-moon.txt']);
  expect(takeOver(project.uid)).toEqual([]);
});
