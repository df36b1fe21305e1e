import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { ProjectPreview } from '../../../contract/index.ts';
import { refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo, project } from '../../test-support/samples.ts';
import { MoveProject } from './move-project.tsx';

const RECEIVER = 'mzBc4XEFSdzCDcTxAgf6EZXgsZWpztRhef';

const preview: ProjectPreview = {
  ...{ name: 'Gallery', type: 'single', items: 3, contentBytes: 300, nameTaken: true, royalties: [RECEIVER] },
  miners: [
    { name: 'Mine', rate: { satoshis: 1, bytes: 1_000 }, transactions: 2, total: 4_321, problems: [] },
    {
      ...{ name: 'Away', rate: null, transactions: null, total: null },
      problems: [{ code: 'upstream-unreachable', message: 'Away does not answer.' }],
    },
  ],
};

it('the dialog that copies a project shows what differs on the other network, and copies with the receivers that were given', async () => {
  const asked: unknown[] = [];
  const sent: unknown[] = [];
  const user = renderPart(<MoveProject project={project} />, {
    live: { app: appInfo },
    host: {
      projectMoves: {
        preview: (input) => {
          asked.push(input);
          return preview;
        },
        copy: (input) => {
          sent.push(input);
          return { projectUid: 'p2', items: 3 };
        },
      },
    },
  });
  expect(await screen.findByText('All 3 items become drafts on Main, minted here or not.')).toBeTruthy();
  expect(screen.getByText('A project of this name is on Main already. Both stay.')).toBeTruthy();
  expect(screen.getByText('for all of it, in 2 transactions')).toBeTruthy();
  expect(screen.getByText('Away does not answer.')).toBeTruthy();
  await user.type(screen.getByLabelText(`Instead of ${RECEIVER}`), ' artist@example.com ');
  await user.click(screen.getByRole('button', { name: 'Copy to Main' }));
  expect(await screen.findByText('3 drafts are on Main now. Change the network to mint them.')).toBeTruthy();
  expect(asked).toEqual([{ projectUid: 'p1', to: 'main' }]);
  expect(sent).toEqual([{ projectUid: 'p1', to: 'main', royalties: { [RECEIVER]: 'artist@example.com' } }]);
  expect(screen.getByRole('link', { name: 'Go to Main' })).toBeTruthy();
});

it('an error of one network goes with the choice of another', async () => {
  const user = renderPart(<MoveProject project={project} />, {
    live: { app: appInfo },
    host: {
      projectMoves: {
        preview: () => ({ ...preview, royalties: [] }),
        copy: () => {
          throw refusal({ code: 'store-failed', message: 'Main has no room.' });
        },
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Copy to Main' }));
  expect(await screen.findByText('Main has no room.')).toBeTruthy();
  await user.click(screen.getByRole('combobox', { name: 'Network' }));
  await user.click(screen.getByRole('option', { name: 'Test', hidden: true }));
  expect(screen.queryByText('Main has no room.')).toBeNull();
});
