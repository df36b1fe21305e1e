import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import {
  type ImportMapping,
  type ImportProblem,
  type ImportRow,
  type ImportStatus,
  importProblem,
  PlanchetError,
  phrase,
} from '../../../../contract/index.ts';
import catalogue from '../../../../contract/languages/de/catalogue.ts';
import { i18n } from '../../../i18n/index.ts';
import { addPhrases } from '../../../i18n/phrases.ts';
import { type HostAnswers, refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { addOrAsk } from './ask-import.tsx';
import { ImportPage } from './import-page.tsx';
import { ImportStart } from './import-start.tsx';
import { nameOf, pathOf, useImportUpload } from './import-upload.ts';

const status: ImportStatus = {
  id: 'm1',
  phase: 'ready',
  done: 3,
  total: 3,
  rows: 3,
  ready: 1,
  withErrors: 2,
  withWarnings: 0,
  excluded: 0,
  imported: 0,
  filesWithoutRow: 1,
  problems: [],
  projectName: 'Tides',
  projectUid: null,
  failure: null,
  createdAt: 0,
};

const problem = (row: number, changes: Partial<ImportProblem>): ImportProblem => ({
  row,
  file: null,
  code: 'duplicate-number',
  message: 'The number 1 is also that of row 2.',
  values: { number: 1, other: 'row 2' },
  severity: 'error',
  field: 'number',
  ...changes,
});

const row = (id: number, problems: ImportProblem[]): ImportRow => ({
  row: id,
  source: { file: 'tides.csv', line: id + 1 },
  state: problems.length > 0 ? 'error' : 'ready',
  name: `Tide ${id}`,
  description: '',
  number: 1,
  rank: null,
  rarityLabel: null,
  collectionId: null,
  traits: [{ name: 'Sea', value: 'North' }],
  keys: [],
  file: null,
  problems,
  edited: [],
  itemId: null,
});

const mapping: ImportMapping = {
  fields: [
    { field: 'title', target: 'name', trait: '', example: 'Tide 1', count: 3, damaged: null },
    { field: 'Sea', target: 'ignore', trait: '', example: 'North', count: 3, damaged: null },
  ],
  options: {
    projectName: 'Tides',
    projectType: 'collection',
    projectUid: null,
    table: 'tides.csv',
    folder: null,
    nameTemplate: null,
    collectionDescription: '',
    cover: null,
    royalties: [],
    allowDuplicates: false,
    pairByOrder: false,
    rarity: true,
  },
  tables: [{ name: 'tides.csv', format: 'csv', rows: 3 }],
  folders: [{ path: '', files: 3 }],
  match: 'field',
  royaltyProposal: [],
  collectionProposal: { name: '', description: '' },
  cover: null,
};

function host(answers: NonNullable<HostAnswers['import']> = {}): HostAnswers {
  const rows = [
    row(0, [problem(0, {})]),
    row(1, [problem(1, { code: 'duplicate-content', values: { other: 'row 3' }, field: 'file' })]),
  ];
  return {
    import: {
      status: () => status,
      mapping: { get: () => mapping },
      rows: () => ({ rows, total: rows.length }),
      ...answers,
    },
  };
}

describe('an import', () => {
  it('shows problem rows first and says what its button would do', async () => {
    const asked: unknown[] = [];
    const rows = (input: { filter?: string | undefined }) => {
      asked.push(input.filter);
      return { rows: [row(0, [problem(0, {})])], total: 1 };
    };
    renderPart(<ImportPage id="m1" />, { host: host({ rows: rows as never }) });
    expect(await screen.findByText('The number 1 is also that of row 2.')).toBeTruthy();
    expect(asked[0]).toBe('errors');
    expect(screen.getByRole('button', { name: 'Import 1, leave 2' })).toBeTruthy();
    expect(screen.getByText('first value: North')).toBeTruthy();
  });

  it('that was interrupted by the end of Planchet leads back to the choice of files', async () => {
    const failure = { id: 'import.interrupted', code: 'cancelled' as const, message: 'Planchet ended.' };
    renderPart(<ImportPage id="m1" />, { host: host({ status: () => ({ ...status, phase: 'failed', failure }) }) });
    const link = await screen.findByRole('link', { name: 'Choose the files again' });
    expect(link.getAttribute('href')).toBe('#/import');
  });

  it('says why it could not be discarded', async () => {
    const full = new PlanchetError('general.disk-full');
    const discard = (): never => {
      throw refusal(full.toFailure());
    };
    const user = renderPart(<ImportPage id="m1" />, { host: host({ discard }) });
    await user.click(await screen.findByRole('button', { name: 'Discard' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Discard' }));
    expect(await screen.findByText(full.message)).toBeTruthy();
  });

  it('pairs rows and files by their order only after a click, which can be taken back', async () => {
    const open = importProblem('pairing-open');
    const changes: unknown[] = [];
    let paired = false;
    const set = (input: { options?: { pairByOrder?: boolean } }) => {
      changes.push(input.options);
      paired = input.options?.pairByOrder === true;
      return mapping;
    };
    const answers = {
      status: () => ({
        ...status,
        ready: paired ? 3 : 0,
        problems: [paired ? importProblem('matched-by-order') : open],
      }),
      mapping: { get: () => ({ ...mapping, options: { ...mapping.options, pairByOrder: paired } }), set: set as never },
    };
    renderPart(<ImportPage id="m1" />, { host: host(answers) });
    const click = async (name: string): Promise<void> => {
      await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(false));
      fireEvent.click(screen.getByRole('button', { name }));
    };
    await click('They are in the same order');
    await click('Take the pairing back');
    await screen.findByRole('button', { name: 'They are in the same order' });
    expect(changes).toEqual([{ pairByOrder: true }, { pairByOrder: false }]);
  });

  it('says problems of rows and files in the language of the page', async () => {
    addPhrases('de', catalogue.phrases);
    await i18n.changeLanguage('de');
    try {
      const { severity, message, values, code } = importProblem('column-damaged', {
        column: 'No',
        what: phrase('import.word.leading-zeros'),
      });
      const damaged = problem(0, { row: null, severity, message, values, code });
      renderPart(<ImportPage id="m1" />, { host: host({ status: () => ({ ...status, problems: [damaged] }) }) });
      await screen.findByText('Diese Datei hat denselben Inhalt wie row 3.', { exact: false });
      screen.getByText('Sehen Sie die Spalte No an: Führende Nullen fehlen.');
    } finally {
      await i18n.changeLanguage('en');
    }
  });

  it('corrects the cell at fault in place, with the keyboard', async () => {
    const edits: unknown[] = [];
    const edit = (input: { edits: unknown[] }) => {
      edits.push(...input.edits);
      return { rows: [], total: 0 };
    };
    const user = renderPart(<ImportPage id="m1" />, { host: host({ edit: edit as never }) });
    const cell = await screen.findByRole('button', { name: 'Number of Tide 0: 1' });
    expect(cell.dataset.wrong).toBe('true');
    cell.focus();
    await user.keyboard('{Enter}');
    await user.clear(screen.getByRole('textbox', { name: 'Number of Tide 0' }));
    await user.keyboard('7{Enter}');
    await expect.poll(() => edits).toEqual([{ row: 0, field: 'number', value: '7' }]);
  });

  it('offers to accept only the problems that may be accepted', async () => {
    const edits: unknown[] = [];
    const edit = (input: { edits: unknown[] }) => {
      edits.push(...input.edits);
      return { rows: [], total: 0 };
    };
    const user = renderPart(<ImportPage id="m1" />, { host: host({ edit: edit as never }) });
    const accept = await screen.findAllByRole('button', { name: 'Accept' });
    expect(accept).toHaveLength(1);
    await user.click(accept[0] as HTMLElement);
    await expect.poll(() => edits).toEqual([{ row: 1, field: 'accept', value: 'duplicate-content' }]);
  });

  it('leads to the project when it is done, and keeps the rows that were left', async () => {
    const done: ImportStatus = { ...status, phase: 'done', ready: 0, imported: 1, projectUid: 'p1' };
    renderPart(<ImportPage id="m1" />, { host: host({ status: () => done }) });
    expect(await screen.findByText('1 item is in the project')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Open the project' }).getAttribute('href')).toContain('/projects/p1');
    expect(screen.getByText('2 rows were left. Correct them below to import them too.')).toBeTruthy();
  });

  it('lets nothing be chosen any more once every row is in the project', async () => {
    const done: ImportStatus = { ...status, phase: 'done', ready: 0, withErrors: 0, imported: 3, projectUid: 'p1' };
    renderPart(<ImportPage id="m1" />, { host: host({ status: () => done }) });
    const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Project' });
    expect(name.disabled).toBe(true);
    expect(screen.getByRole<HTMLInputElement>('switch', { name: 'Allow equal pictures' }).disabled).toBe(true);
  });

  it('takes over what the metadata offers for the collection, and royalties of the person', async () => {
    const sets: unknown[] = [];
    const offered = { ...mapping, collectionProposal: { name: 'Copper Tides', description: 'Tides in copper' } };
    const set = ({ options }: { options?: unknown }): ImportMapping => {
      sets.push(options);
      return offered;
    };
    const answers = { mapping: { get: () => offered, set }, files: () => ({ files: [], total: 0 }) };
    const user = renderPart(<ImportPage id="m1" />, { host: host(answers as never) });
    await user.click(await screen.findByRole('button', { name: 'Name it “Copper Tides”' }));
    await user.click(await screen.findByRole('button', { name: 'Use the description all tokens have' }));
    await user.click(await screen.findByRole('button', { name: 'Add a receiver' }));
    expect(screen.getByText('Each receiver needs', { exact: false })).toBeTruthy();
    await user.type(screen.getByRole('textbox', { name: 'Receiver 1' }), 'me@example.com');
    await user.tab();
    await expect
      .poll(() => sets)
      .toEqual([
        { projectName: 'Copper Tides' },
        { collectionDescription: 'Tides in copper' },
        { royalties: [{ destination: 'me@example.com', percentage: '0.05' }] },
      ]);
  });
});

describe('files that are dropped on a project', () => {
  const png = new File(['x'], 'a.png');
  const csv = new File(['name\n'], 'tides.csv');

  it('are added at once where none may describe the others', () => {
    const added: unknown[] = [];
    addOrAsk([png], { onAdd: (files) => added.push(...files), onImport: () => {} });
    expect(added).toEqual([png]);
  });

  it('are asked about where a table is among them', async () => {
    const added: unknown[] = [];
    const imported: unknown[] = [];
    const user = renderPart(
      <button
        type="button"
        onClick={() =>
          addOrAsk([png, csv], { onAdd: (files) => added.push(files), onImport: (files) => imported.push(files) })
        }
      >
        drop
      </button>,
    );
    await user.click(screen.getByRole('button', { name: 'drop' }));
    expect(await screen.findByText(/tides\.csv may describe a collection/)).toBeTruthy();
    expect(added).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Add only the other files' }));
    expect(added).toEqual([[png]]);
    await user.click(screen.getByRole('button', { name: 'drop' }));
    await user.click(await screen.findByRole('button', { name: 'Read as a table and import' }));
    expect(imported).toEqual([[png, csv]]);
  });

  it('keep their path inside the folder, which names the project', () => {
    const inside = Object.assign(new File(['x'], '1.png'), { path: './Tides/images/1.png' });
    expect(pathOf(inside)).toBe('Tides/images/1.png');
    expect(nameOf([inside])).toBe('Tides');
    expect(nameOf([new File(['x'], 'Moons.zip')])).toBe('Moons');
    expect(nameOf([png, csv])).toBeUndefined();
  });
});

describe('files on their way into an import', () => {
  async function bring(leave: boolean): Promise<string> {
    const opened = Promise.withResolvers<ImportStatus>();
    const asked = Promise.withResolvers<void>();
    const user = renderPart(<ImportStart />, {
      at: '/import',
      host: {
        import: {
          list: () => [],
          upload: {
            begin: () => ({ uploadId: 'u1' }),
            append: ({ offset, piece }) => ({ received: offset + piece.size }),
          },
          open: () => {
            asked.resolve();
            return opened.promise;
          },
        },
      },
    });
    await user.upload(screen.getByLabelText('Folder to import'), new File(['name'], 'tides.csv'));
    await asked.promise;
    if (leave) location.hash = '/wallet/send';
    opened.resolve(status);
    await expect.poll(() => useImportUpload.getState().phase).toBe('idle');
    return location.hash;
  }

  it('open the page of the import once they have arrived', async () => {
    await bring(false);
    await expect.poll(() => location.hash).toBe('#/import/m1');
  });

  it('do not lead away from another page once they have arrived', async () => {
    expect(await bring(true)).toBe('#/wallet/send');
  });
});
