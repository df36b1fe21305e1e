import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type ImportProblem,
  type ImportStatus,
  type ImportTarget,
  importProblem,
  importTargets,
  MAX_IMPORT_PAGE,
  PlanchetError,
} from '../../../contract/index.ts';
import type { Client, Output, Shell } from '../shared/run.ts';
import { withClient } from '../shared/with-client.ts';

const POLL_MS = 100;

interface FieldMap {
  readonly target: ImportTarget;
  readonly trait: string;
  readonly column: string;
}

interface ImportOptions {
  project: string;
  type: 'collection' | 'single';
  table?: string;
  map: FieldMap[];
  pairByOrder?: true;
}

interface ImportResult {
  readonly projectUid: string | null;
  readonly imported: number;
  readonly problems: readonly Omit<ImportProblem, 'severity' | 'field' | 'values'>[];
}

/** Adds `planchet import`: a folder, a zip file or files with a table become items of a project. */
export function addImportCommand(program: Command, { globals, output }: Shell): void {
  program
    .command('import')
    .description('make items of a folder, a zip file, or files with a table')
    .argument('<path...>', 'folder, zip file or files')
    .requiredOption('--project <name>', 'project the items belong to; it is made where there is none')
    .addOption(
      new Option('--type <type>', 'kind of the project').choices(['collection', 'single']).default('collection'),
    )
    .option('--table <file>', 'XLSX, CSV, TSV or JSON file that describes the tokens')
    .option(
      '--map <field=column>',
      'a column of the table and what it becomes (name, file, number, trait:Eyes, …); may be repeated',
      collectMap,
      [],
    )
    .option('--pair-by-order', 'rows and files are in the same order; for a table that nothing else ties to the files')
    .action(async (paths: string[], options: ImportOptions) => {
      const out = output();
      const result = await withClient(globals(), (client) => importPaths(client, paths, options, out));
      out.result(result, textOf(result));
    });
}

/** @throws PlanchetError `import.nothing-ready` and what stops a reading */
async function importPaths(
  client: Client,
  paths: readonly string[],
  options: ImportOptions,
  output: Output,
): Promise<ImportResult> {
  // The running host may have another working folder.
  const all = [...paths, ...(options.table === undefined ? [] : [options.table])].map((path) => resolve(path));
  const opened = await client.import.open({
    paths: [...new Set(all)].filter((path, index) => index < paths.length || !inside(path, all.slice(0, paths.length))),
    projectName: options.project,
    projectType: options.type,
    ...(options.table !== undefined && { table: resolve(options.table) }),
  });
  try {
    const ready = await settled(client, opened, 'reading', output);
    if (options.map.length > 0 || options.pairByOrder) {
      const fields = options.map.map(({ column, target, trait }) => ({ field: column, target, trait }));
      await client.import.mapping.set({ id: ready.id, fields, options: { pairByOrder: options.pairByOrder === true } });
    }
    const done = await settled(client, await client.import.commit({ id: ready.id }), 'committing', output);
    return { projectUid: done.projectUid, imported: done.imported, problems: await problemsOf(client, done) };
  } finally {
    await client.import.discard({ id: opened.id });
  }
}

/** A table inside a folder that is imported is read with it. */
function inside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`));
}

async function settled(
  client: Client,
  first: ImportStatus,
  phase: ImportStatus['phase'],
  output: Output,
): Promise<ImportStatus> {
  let status = first;
  let shown = -1;
  while (status.phase === phase) {
    const percent = status.total === 0 ? 0 : Math.floor((status.done * 10) / status.total) * 10;
    if (percent > shown) output.note(`  ${phase} ${status.done} of ${status.total}`);
    shown = Math.max(shown, percent);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    status = await client.import.status({ id: status.id });
  }
  if (status.failure !== null) throw new PlanchetError(status.failure);
  return status;
}

async function problemsOf(client: Client, status: ImportStatus): Promise<ImportResult['problems']> {
  // The status names only the first files without a row.
  const problems = status.problems.filter(({ code }) => code !== 'file-unused');
  for (let offset = 0; offset < status.filesWithoutRow; offset += MAX_IMPORT_PAGE) {
    const { files } = await client.import.files({ id: status.id, filter: 'unmatched', offset, limit: MAX_IMPORT_PAGE });
    problems.push(...files.map(({ path }) => importProblem('file-unused', {}, { file: path })));
  }
  for (let offset = 0; ; offset += MAX_IMPORT_PAGE) {
    const { rows, total } = await client.import.rows({
      id: status.id,
      filter: 'all',
      offset,
      limit: MAX_IMPORT_PAGE,
    });
    problems.push(
      ...rows.flatMap((row) => row.problems.map((problem) => ({ ...problem, row: row.source.line ?? row.row }))),
    );
    if (offset + MAX_IMPORT_PAGE >= total) break;
  }
  return problems.map(({ row, file, code, message }) => ({ row, file, code, message }));
}

function textOf({ imported, problems }: ImportResult): string {
  return [
    `${imported} item${imported === 1 ? '' : 's'} imported`,
    ...problems.map(({ row, file, code, message }) => {
      const where = [row === null ? '' : `row ${row}`, file ?? ''].filter((part) => part !== '').join(', ');
      return `  ${where === '' ? '' : `${where}: `}${message} (${code})`;
    }),
  ].join('\n');
}

/** `name=Title`, `trait:Eyes=eye_colour`, `key:website=external_url` */
function collectMap(text: string, previous: FieldMap[]): FieldMap[] {
  const at = text.indexOf('=');
  const field = text.slice(0, at);
  const column = text.slice(at + 1);
  const [kind = '', ...rest] = field.split(':');
  const name = rest.join(':');
  const target = importTargets.find((one) => one === kind);
  const mayBeNamed = target === 'trait' || target === 'key';
  if (at < 1 || column === '' || target === undefined || (rest.length > 0 && (!mayBeNamed || name === ''))) {
    throw new InvalidArgumentError(
      `Write it as field=column, where field is ${importTargets.join(', ')} trait:Name or key:Name.`,
    );
  }
  return [...previous, { target, trait: name, column }];
}
