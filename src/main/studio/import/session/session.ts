import { runSteps, type Steps } from '../../../../chain/index.ts';
import {
  type ImportField,
  type ImportFileView,
  type ImportMapping,
  type ImportProblem,
  type ImportRow,
  type ImportStatus,
  type ImportTraits,
  itemCellsSchema,
  PlanchetError,
} from '../../../../contract/index.ts';
import { inTurns } from '../../../pause.ts';
import { countTraits } from '../../projects/rarity.ts';
import type { ImportBody, ImportHead } from '../import-store.ts';
import { baseName, comparable, type Finding, folderOf, type ImportFile, naturalOrder, stemOf } from '../model.ts';
import { readJson } from '../readers/json.ts';
import { basisPointsOf, creatorsOf, splitRoyalties } from '../readers/metaplex.ts';
import { type FieldChoice, proposalSteps } from '../rows/mapping.ts';
import type { RowInput } from '../rows/row.ts';
import { type Derived, deriveRows, deriveSteps, noProject, type ProjectFacts, type Row } from '../rows/rows.ts';
import { sharedName } from '../rows/shared-name.ts';
import { problemsOf, stateOf, toProblem } from '../rows/validate.ts';

const MAX_WHOLE_PROBLEMS = 100;
const MAX_TRAITS = 200;
const MAX_VALUES = 500;

/** How the rows of an import stand, and the problems of no row. */
export type RowCounts = Pick<
  ImportStatus,
  'rows' | 'ready' | 'withErrors' | 'withWarnings' | 'excluded' | 'imported' | 'filesWithoutRow' | 'problems'
>;

/** One import in memory: what was read, what a person decided, and the rows that follow from both. */
export class ImportSession {
  readonly head: ImportHead;
  body: ImportBody;
  project: ProjectFacts = noProject;
  changed: ReadonlySet<number> = new Set();
  #fields: ImportField[] | undefined;
  #derived: Derived | undefined;
  #preparing: Promise<void> | undefined;
  #counts: RowCounts | undefined;
  #byId: { readonly of: readonly Row[]; readonly rows: ReadonlyMap<number, Row> } | undefined;
  #isCancelled = false;
  /** Counts the changes that rows follow from. */
  #version = 0;
  #problems = new WeakMap<Row, ImportProblem[]>();

  constructor(head: ImportHead, body: ImportBody) {
    this.head = head;
    this.body = body;
  }

  /** Sets the items of rows. Everything else is computed again with the next change. */
  markImported(pairs: readonly (readonly [row: number, itemId: string])[]): void {
    const { rows } = this.derived();
    if (this.#byId?.of !== rows) this.#byId = { of: rows, rows: new Map(rows.map((row) => [row.id, row])) };
    for (const [id, itemId] of pairs) {
      this.body.imported.set(id, itemId);
      const row = this.#byId.rows.get(id);
      if (row !== undefined) row.itemId = itemId;
    }
    this.#counts = undefined;
  }

  /** Called after a change of anything that the rows depend on. */
  touch(): void {
    this.#version++;
    this.#derived = undefined;
    this.#fields = undefined;
    this.#counts = undefined;
  }

  /**
   * Computes what the other methods need, step by step, so that many rows do not block the thread. Calls during a computation wait for the same
   * one.
   */
  prepare(): Promise<void> {
    this.#preparing ??= this.#prepareInTurns();
    return this.#preparing;
  }

  /** Ends what is computed at the moment. */
  cancel(): void {
    this.#isCancelled = true;
  }

  async #prepareInTurns(): Promise<void> {
    try {
      await inTurns(this.prepareSteps());
    } finally {
      this.#preparing = undefined;
    }
  }

  /** The steps of {@link ImportSession.prepare}. */
  *prepareSteps(): Steps<void> {
    while (this.#derived === undefined) {
      const version = this.#version;
      const fields = yield* this.#fieldSteps();
      // A change meanwhile makes the result obsolete.
      if (version !== this.#version) continue;
      this.#fields = fields;
      const derived = yield* this.#unlessCancelled(deriveSteps(this.#input(fields)));
      if (version === this.#version) this.#derived = derived;
    }
  }

  *#unlessCancelled<T>(steps: Steps<T>): Steps<T> {
    for (;;) {
      if (this.#isCancelled) throw new Error('the import was discarded');
      const step = steps.next();
      if (step.done === true) return step.value;
      yield step.value;
    }
  }

  fields(): ImportField[] {
    this.#fields ??= runSteps(this.#fieldSteps());
    return this.#fields;
  }

  #fieldSteps(): Steps<ImportField[]> {
    const { table } = this.head.options;
    const format = this.head.facts.tables.find(({ name }) => name === table)?.format ?? '';
    return proposalSteps(this.#records(), format, {
      files: this.body.files,
      chosen: this.head.fields,
      remembered: this.project.fields,
    });
  }

  derived(): Derived {
    this.#derived ??= deriveRows(this.#input(this.fields()));
    return this.#derived;
  }

  #input(fields: ImportField[]): RowInput {
    return {
      records: this.#records(),
      files: this.body.files,
      fields,
      options: this.head.options,
      edits: this.body.edits,
      imported: this.body.imported,
      changed: this.changed,
      project: this.project,
    };
  }

  #records() {
    return this.body.records.filter(({ table }) => table === this.head.options.table);
  }

  problems(row: Row): ImportProblem[] {
    const known = this.#problems.get(row);
    if (known !== undefined) return known;
    const problems = problemsOf(row);
    this.#problems.set(row, problems);
    return problems;
  }

  status(): RowCounts {
    this.#counts ??= this.#count();
    return this.#counts;
  }

  #count(): RowCounts {
    const { rows, unmatched } = this.derived();
    const states = rows.map(stateOf);
    const count = (state: string): number => states.filter((one) => one === state).length;
    return {
      rows: rows.length,
      ready: count('ready') + count('warning'),
      withErrors: count('error'),
      withWarnings: count('warning'),
      excluded: count('excluded'),
      imported: count('imported'),
      filesWithoutRow: unmatched.length,
      problems: this.wholeProblems(),
    };
  }

  /** Problems of no row: of the tables, of files without a row, of the import as a whole. */
  wholeProblems(): ImportProblem[] {
    // There may be as many as files, so only the shown ones are put into words.
    return this.wholeFindings()
      .slice(0, MAX_WHOLE_PROBLEMS)
      .map((finding) => toProblem(finding));
  }

  wholeFindings(): Finding[] {
    const { findings, unmatched } = this.derived();
    const royalties = this.royaltyProposal();
    const percent = royalties.reduce((sum, { percentage }) => sum + Number(percentage) * 100, 0);
    return [
      ...this.head.findings,
      ...findings,
      ...(royalties.length > 0 && this.head.options.royalties.length === 0
        ? [{ code: 'royalty-destination' as const, values: { percent: Number(percent.toFixed(4)) } }]
        : []),
      ...unmatched.map((file): Finding => ({ code: 'file-unused', file: file.path })),
    ];
  }

  /** @throws PlanchetError `import.nothing-ready` | `import.pairing-open` */
  requireSomething(): void {
    const { rows } = this.derived();
    if (rows.some((row) => isCounted(row) && row.itemId === null)) return;
    if (this.wholeFindings().some(({ code }) => code === 'pairing-open')) {
      throw new PlanchetError('import.pairing-open');
    }
    const bad = rows.find((row) => stateOf(row) === 'error');
    const problem = bad && this.problems(bad).find(({ severity }) => severity === 'error');
    throw new PlanchetError('import.nothing-ready', { problem: problem?.message ?? '' });
  }

  /** What earlier imports had, then what this one's fields became. A field that nobody chose to leave out is looked at anew each time. */
  usedFields(): Map<string, FieldChoice> {
    const fields = new Map(this.project.fields);
    for (const { field, target, trait } of this.fields()) {
      if (target !== 'ignore' || this.head.fields.has(field)) fields.set(field, { target, trait });
    }
    return fields;
  }

  mapping(): ImportMapping {
    const folders = new Map<string, number>();
    for (const { path } of this.body.files) folders.set(folderOf(path), (folders.get(folderOf(path)) ?? 0) + 1);
    return {
      fields: this.fields(),
      options: this.head.options,
      tables: [...this.head.facts.tables],
      folders: [...folders].map(([path, files]) => ({ path, files })).sort((a, b) => naturalOrder(a.path, b.path)),
      match: this.derived().match,
      royaltyProposal: this.royaltyProposal(),
      collectionProposal: this.collectionProposal(),
      cover: this.#coverView(),
    };
  }

  /** The file a person chose for the collection token, else `collection.png`, else that of the first row. */
  cover(): ImportFile | undefined {
    const { cover } = this.head.options;
    const files = this.body.files.filter(({ sha256 }) => sha256 !== null);
    const chosen = cover === null ? undefined : files.find(({ id }) => id === cover);
    const first = this.derived().rows.find((row) => isCounted(row) && row.file?.sha256 != null)?.file;
    return chosen ?? files.find(({ path }) => stemOf(path).toLowerCase() === 'collection') ?? first;
  }

  #coverView(): ImportMapping['cover'] {
    if (this.head.options.projectType !== 'collection') return null;
    const file = this.cover();
    if (file === undefined || file.sha256 === null) return null;
    const { name, contentType, bytes } = fileInfo(file);
    return { name, contentType, bytes, sha256: file.sha256 };
  }

  /** A file about the collection itself, else what every row says alike, else its symbol, else what the names of the rows share. */
  collectionProposal(): ImportMapping['collectionProposal'] {
    const { collection } = this.head.facts;
    const { rows } = this.derived();
    const described = new Set(rows.map(({ description }) => description));
    const common = rows.length > 1 && described.size === 1 ? (rows[0]?.description ?? '') : '';
    const example = (...names: string[]): string =>
      names.map((name) => this.fields().find(({ field }) => field === name)?.example ?? '').find(Boolean) ?? '';
    const named = rows.find(({ collectionName }) => collectionName !== '')?.collectionName;
    const shared = sharedName(rows.map((row) => row.name));
    const name = collection?.name || named || example('collection.family', 'symbol') || shared;
    return {
      name: name.slice(0, 120).toWellFormed(),
      description: (collection?.description || common).slice(0, 2_000).toWellFormed(),
    };
  }

  /** What the first row with royalties asks for. */
  royaltyProposal(): ImportMapping['royaltyProposal'] {
    const fields = this.fields();
    const points = fields.find(({ target }) => target === 'royaltyBasisPoints');
    if (points === undefined || points.example === '') return [];
    const creators = fields.find(({ target }) => target === 'creators')?.field;
    const record = this.#records().find(({ fields: own }) =>
      own.some(([name, value]) => name === points.field && value !== ''),
    );
    const value = (name: string | undefined): string => record?.fields.find(([field]) => field === name)?.[1] ?? '';
    return splitRoyalties(basisPointsOf(value(points.field)), creatorsOf(parsed(value(creators))));
  }

  rows(filter: string, search: string): Row[] {
    const wanted = comparable(search.trim());
    return this.derived().rows.filter((row) => {
      const state = stateOf(row);
      const fits =
        filter === 'all' ||
        (filter === 'problems' && (state === 'error' || state === 'warning')) ||
        (filter === 'errors' && state === 'error') ||
        (filter === 'warnings' && state === 'warning') ||
        (filter === 'ready' && (state === 'ready' || state === 'warning')) ||
        (filter === 'excluded' && state === 'excluded');
      return fits && (wanted === '' || textOf(row).includes(wanted));
    });
  }

  view(row: Row): ImportRow {
    const { file } = row;
    return {
      row: row.id,
      source: { file: row.record.source, line: row.record.line },
      state: stateOf(row),
      name: row.name.toWellFormed(),
      description: row.description.toWellFormed(),
      number: row.number,
      ...itemCellsSchema.parse(row),
      collectionId: row.collectionId,
      traits: row.traits.map(({ name, value }) => ({ name: name.toWellFormed(), value: value.toWellFormed() })),
      keys: row.keys.map(({ name, value }) => ({ name: name.toWellFormed(), value: value.toWellFormed() })),
      file: file === undefined ? null : { ...fileInfo(file), contentType: row.contentType ?? '' },
      problems: this.problems(row),
      edited: [...row.edited],
      itemId: row.itemId,
    };
  }

  files(filter: string, search: string): ImportFileView[] {
    const { rows, unmatched } = this.derived();
    const uses = Map.groupBy(rows, ({ file }) => file?.id);
    const wanted = comparable(search.trim());
    return (filter === 'unmatched' ? unmatched : this.body.files)
      .filter(({ path }) => comparable(path).includes(wanted))
      .map((file) => ({ ...fileInfo(file), path: file.path, rows: uses.get(file.id)?.map(({ id }) => id) ?? [] }));
  }

  traits(): ImportTraits {
    const rows = this.derived().rows.filter((row) => isCounted(row));
    return countTraits(rows)
      .slice(0, MAX_TRAITS)
      .map(({ name, count, values }) => ({
        name,
        count,
        distinct: values.length,
        values: values.slice(0, MAX_VALUES),
      }));
  }
}

/** Rows that are tokens of the collection: imported, or without errors. */
export function isCounted(row: Row): boolean {
  const state = stateOf(row);
  return state === 'ready' || state === 'warning' || state === 'imported';
}

function textOf(row: Row): string {
  const values = row.traits.flatMap(({ name, value }) => [name, value]);
  return comparable([row.name, row.file?.path ?? row.wantedFile, row.number ?? '', ...values].join('\n'));
}

function fileInfo(file: ImportFile) {
  const { id, sha256, bytes } = file;
  return { id, sha256, name: baseName(file.path).slice(0, 255), contentType: file.contentType ?? '', bytes };
}

function parsed(text: string) {
  try {
    return readJson(Buffer.from(text, 'utf8'));
  } catch {
    return undefined;
  }
}
