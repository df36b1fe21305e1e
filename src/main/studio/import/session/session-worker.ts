import { type Failure, type ImportEdit, PlanchetError } from '../../../../contract/index.ts';
import { type ComputedChange, changesOf, type StoredItem } from '../../projects/collection.ts';
import { type CommitPlan, planCommit } from '../commit/commit-plan.ts';
import type { BodyPart, ImportHead } from '../import-store.ts';
import type { ImportFile, SourceRecord } from '../model.ts';
import { type StoredEdit, toStoredEdits } from '../rows/edits.ts';
import type { FieldChoice } from '../rows/mapping.ts';
import { noProject, type ProjectFacts } from '../rows/rows.ts';
import { ImportSession, type ImportSession as Session } from './session.ts';

/** Items that are planned or changed in one transaction, and the traits they may have together. */
const ITEMS_AT_ONCE = 200;
const TRAITS_AT_ONCE = 5_000;
const FILES_AT_ONCE = 5_000;

/** What a session keeps between calls besides its rows. */
interface Extra {
  readonly files: ImportFile[];
  readonly records: SourceRecord[];
  readonly edits: Map<number, Map<string, string>>;
  readonly imported: Map<number, string>;
  items: StoredItem[];
  hashes: Set<string>;
  plan: CommitPlan;
  computed: readonly ComputedChange[];
  used: readonly ImportFile[];
}

const extras = new WeakMap<Session, Extra>();
const extraOf = (session: Session): Extra => extras.get(session) as Extra;

/** A page of a list, and how many there are in all. */
interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly filter: string;
  readonly search: string;
}

/** An item as it is planned, with the row it is made of. */
export type PlannedRow = Omit<CommitPlan['items'][number], 'row'> & { readonly row: number };

function setProject(session: Session, { collectionId, fields }: Pick<ProjectFacts, 'collectionId' | 'fields'>): void {
  const extra = extraOf(session);
  const items = extra.items
    .filter(({ sub_type }) => sub_type !== 'collection')
    .map(({ id, metadata }) => ({ id, metadata: JSON.parse(metadata) as ProjectFacts['items'][number]['metadata'] }));
  const numbers = new Set(items.flatMap(({ metadata }) => metadata.mintNumber ?? []));
  session.project = { ...noProject, collectionId, fields, items, numbers, hashes: extra.hashes };
  session.touch();
}

/** Calls that need the rows: these are computed first. */
const questions = {
  status: (session: Session) => session.status(),
  mapping: (session: Session) => session.mapping(),
  traits: (session: Session) => session.traits(),
  proposedName: (session: Session) => session.collectionProposal().name,
  rows: (session: Session, { filter, search, offset, limit }: Page) => {
    const rows = session.rows(filter, search);
    return { rows: rows.slice(offset, offset + limit).map((row) => session.view(row)), total: rows.length };
  },
  rowsOf: (session: Session, ids: readonly number[]) => {
    const wanted = new Set(ids);
    const rows = session.derived().rows.filter(({ id }) => wanted.has(id));
    return { rows: rows.slice(0, 500).map((row) => session.view(row)), total: rows.length };
  },
  files: (session: Session, { filter, search, offset, limit }: Page) => {
    const files = session.files(filter, search);
    return { files: files.slice(offset, offset + limit), total: files.length };
  },
  storedEdits: (session: Session, edits: readonly ImportEdit[]) => toStoredEdits(session, edits),
  /** Files of rows that are no items yet and lie on the disk. */
  usedFiles: (session: Session, from: number) => {
    const extra = extraOf(session);
    if (from === 0)
      extra.used = session
        .derived()
        .rows.flatMap(({ file, itemId }) => (file?.origin && itemId === null ? [file] : []));
    return extra.used.slice(from, from + FILES_AT_ONCE);
  },
  /** @throws PlanchetError `import.nothing-ready` | `import.pairing-open` */
  requireSomething: (session: Session) => session.requireSomething(),
  usedFields: (session: Session): [string, FieldChoice][] => [...session.usedFields()],
  /** Plans the commit; its items are taken with `planned`. */
  plan: (session: Session) => {
    const plan = planCommit(session);
    extraOf(session).plan = plan;
    return { items: plan.items.length, collection: plan.collection && { ...plan.collection, row: null } };
  },
} as const;

/** Calls that change the session, or read what an earlier call computed. */
const orders = {
  add: (session: Session, part: BodyPart) => {
    const { files, records, edits, imported } = extraOf(session);
    if ('files' in part) files.push(...part.files);
    else if ('records' in part) for (const record of part.records) records.push(JSON.parse(record) as SourceRecord);
    else if ('imported' in part) for (const [row, id] of part.imported) imported.set(row, id);
    else
      for (const { row, field, value } of part.edits) edits.set(row, (edits.get(row) ?? new Map()).set(field, value));
  },
  clearItems: (session: Session) => {
    const extra = extraOf(session);
    extra.items = [];
    extra.hashes = new Set();
  },
  addItems: (session: Session, items: readonly (StoredItem & { readonly sha256: string })[]) => {
    const extra = extraOf(session);
    for (const { sha256, ...item } of items) {
      extra.items.push(item);
      if (item.sub_type !== 'collection') extra.hashes.add(sha256);
    }
  },
  project: setProject,
  set: (session: Session, { head, changed }: { head?: ImportHead; changed?: ReadonlySet<number> }) => {
    if (head !== undefined) Object.assign(session.head, head);
    if (changed !== undefined) session.changed = changed;
    session.touch();
  },
  edit: (session: Session, changes: readonly StoredEdit[]) => {
    const { edits } = extraOf(session);
    for (const { row, field, value } of changes) {
      const cells = edits.get(row) ?? new Map<string, string>();
      if (value === null) cells.delete(field);
      else cells.set(field, value);
      edits.set(row, cells);
    }
    session.touch();
  },
  imported: (session: Session, pairs: readonly (readonly [number, string])[]) => session.markImported(pairs),
  planned: (session: Session, from: number): PlannedRow[] =>
    bounded(extraOf(session).plan.items, from).map((item) => ({ ...item, row: item.row?.id ?? -1 })),
  /** Computes what depends on all items of the project, which were added before. @returns how many change */
  compute: (session: Session) => {
    const extra = extraOf(session);
    extra.computed = changesOf(extra.items);
    return extra.computed.length;
  },
  computed: (session: Session, from: number) => bounded(extraOf(session).computed, from),
} as const;

function bounded<T extends { metadata: { traits: readonly unknown[] } }>(items: readonly T[], from: number): T[] {
  const some: T[] = [];
  let traits = 0;
  for (let at = from; at < items.length && some.length < ITEMS_AT_ONCE && traits < TRAITS_AT_ONCE; at++) {
    const item = items[at] as T;
    traits += item.metadata.traits.length;
    some.push(item);
  }
  return some;
}

export type SessionCalls = typeof questions & typeof orders;

export interface SessionTask {
  readonly id: string;
  readonly call: keyof SessionCalls;
  readonly input: unknown;
}

/** The result of a call; `isGone` if the thread ended since the session was opened. */
export type SessionAnswer = { readonly output: unknown } | { readonly failure: Failure } | { readonly isGone: true };

const sessions = new Map<string, Session>();

/** Runs in a worker thread: begins a session, whose parts are added by the order `add`. */
export function open(head: ImportHead): void {
  const body = { files: [], records: [], edits: new Map(), imported: new Map() };
  const session = new ImportSession(head, body);
  const plan = { collection: undefined, items: [] };
  extras.set(session, { ...body, items: [], hashes: new Set(), plan, computed: [], used: [] });
  sessions.set(head.id, session);
}

/** Runs in a worker thread: forgets a session; what it computes at the moment is ended. */
export function drop(id: string): void {
  sessions.get(id)?.cancel();
  sessions.delete(id);
}

/** Runs in a worker thread. */
export async function run({ id, call, input }: SessionTask): Promise<SessionAnswer> {
  const session = sessions.get(id);
  if (session === undefined) return { isGone: true };
  try {
    if (Object.hasOwn(questions, call)) await session.prepare();
    const work = { ...questions, ...orders }[call] as (session: Session, input: unknown) => unknown;
    return { output: work(session, input) };
  } catch (error) {
    if (!sessions.has(id)) return { isGone: true };
    if (error instanceof PlanchetError) return { failure: error.toFailure() };
    throw error;
  }
}
