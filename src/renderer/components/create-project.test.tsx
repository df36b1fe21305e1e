import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../contract/index.ts';
import { refusal } from '../test-support/fake-host.ts';
import { renderPart } from '../test-support/render.tsx';
import { project } from '../test-support/samples.ts';
import { openCreateProject } from './create-project.tsx';

function Opener({ onCreated }: { onCreated: (created: Project) => void }) {
  return (
    <button type="button" onClick={() => openCreateProject(onCreated)}>
      Open
    </button>
  );
}

async function openDialog(
  create: (input: { name: string; type: string }) => Project,
  onCreated: (created: Project) => void = () => {},
) {
  const user = renderPart(<Opener onCreated={onCreated} />, { host: { projects: { create } } });
  await user.click(screen.getByRole('button', { name: 'Open' }));
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
  return { user, name, submit: screen.getByRole('button', { name: 'Create project' }) };
}

describe('the dialog for a new project', () => {
  it('sends the trimmed name and the chosen type, then returns the project', async () => {
    const sent: unknown[] = [];
    const created: Project[] = [];
    const { user, name, submit } = await openDialog(
      (input) => {
        sent.push(input);
        return project;
      },
      (one) => created.push(one),
    );
    await user.type(name, '  Gallery ');
    await user.click(screen.getByRole('radio', { name: /^A collection/ }));
    await user.click(submit);
    await expect.poll(() => created).toEqual([project]);
    expect(sent).toEqual([{ name: 'Gallery', type: 'collection', local: false }]);
  });

  it('requires a name before anything is sent', async () => {
    const sent: unknown[] = [];
    const { user, submit } = await openDialog((input) => {
      sent.push(input);
      return project;
    });
    await user.click(submit);
    expect(await screen.findByText('Enter a name.')).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it('keeps the typed name if the service refuses, and shows the reason with its fix', async () => {
    const { user, name, submit } = await openDialog(() => {
      throw refusal({ code: 'upstream-unreachable', message: 'The token service is down.', hint: 'Try again later.' });
    });
    await user.type(name, 'Gallery');
    await user.click(submit);
    expect(await screen.findByText('The token service is down.')).toBeTruthy();
    expect(screen.getByText('Try again later.')).toBeTruthy();
    expect(name.value).toBe('Gallery');
  });
});
