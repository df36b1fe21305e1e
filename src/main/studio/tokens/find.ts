import { sql } from 'kysely';
import { formatOutpoint } from '../../../chain/index.ts';
import { fuzzyFind, mintStates, readSought, type SearchHit } from '../../../contract/index.ts';
import type { SearchQuery, SearchSource } from '../../ports/search.ts';
import type { NonFundingOutput } from '../../ports/wallet.ts';
import { fileOf } from '../projects/item-rows.ts';
import { type GalleryOptions, kept } from './gallery.ts';

/** The searchable fields of an item or a received token. */
interface Named {
  /** Id of an item; empty of a token that was not minted here. */
  readonly id: string;
  readonly name: string;
  readonly fileName: string;
  /** Each as `Hat: Crown`. */
  readonly traits: readonly string[];
  readonly project: string | null;
  readonly projectUid: string | null;
  /** Where its token is; null while it has none. */
  readonly outpoint: string | null;
}

type Options = Pick<GalleryOptions, 'network' | 'store' | 'wallet'>;

/** Digits of a txid that are enough to look for it. */
const MIN_TXID_DIGITS = 4;

/** Projects, items and tokens, by name, file, trait or the beginning of an outpoint. They ask no service, to answer while a person types. */
export function studioSources(options: Options): SearchSource[] {
  const searched = kept(options, (outputs) => allNamed(options, outputs));
  return [
    { kinds: ['project'], find: (query) => findProjects(options, query) },
    { kinds: ['token', 'item'], find: async (query) => findItems(options, await searched(), query) },
  ];
}

/** All searchable entries, and the text of each. */
interface Searched {
  readonly all: readonly Named[];
  readonly texts: readonly string[];
}

async function allNamed(options: Options, outputs: readonly NonFundingOutput[]): Promise<Searched> {
  const all = [...(await itemsOf(options)), ...(await receivedOf(options, outputs))];
  return { all, texts: all.map(({ name, fileName, traits }) => `${name} ${fileName} ${traits.join(' ')}`) };
}

async function findProjects({ store, network }: Options, { text, limit }: SearchQuery): Promise<SearchHit[]> {
  const projects = await store.db
    .selectFrom('studio_projects')
    .select(['uid', 'name'])
    .where('network', '=', network)
    .execute();
  const texts = projects.map(({ name, uid }) => `${name} ${uid}`);
  const found = fuzzyFind(texts, text);
  return Promise.all(
    found.slice(0, limit).map(async (at) => {
      const { uid, name } = projects[at] as (typeof projects)[number];
      const cover = await store.db
        .selectFrom('studio_items')
        .select('id')
        .where('network', '=', network)
        .where('project_uid', '=', uid)
        .orderBy('position')
        .limit(1)
        .executeTakeFirst();
      const file = cover && (await filesOf({ store }, [cover.id])).get(cover.id);
      return { kind: 'project' as const, id: uid, name, place: '', projectUid: null, file: file ?? null };
    }),
  );
}

async function findItems(
  options: Options,
  { all, texts }: Searched,
  { text, limit }: SearchQuery,
): Promise<SearchHit[]> {
  const found = outpointsFrom(all, text) ?? fuzzyFind(texts, text).flatMap((at) => all[at] ?? []);
  const tokens = found.filter(({ outpoint }) => outpoint !== null).slice(0, limit);
  const drafts = found.filter(({ outpoint }) => outpoint === null).slice(0, limit);
  const shown = [...tokens, ...drafts];
  const ids = shown.map(({ id }) => id);
  const files = await filesOf(options, ids);
  return shown.map((one) => ({
    kind: one.outpoint === null ? 'item' : 'token',
    id: one.outpoint ?? one.id,
    name: one.name,
    place: [one.project ?? '', ...traitsMeant(one, text)].filter(Boolean).join(' · '),
    projectUid: one.projectUid,
    file: files.get(one.id) ?? null,
  }));
}

/** The traits that an entry was found by: they contain a word of the text that its name does not. */
function traitsMeant({ name, traits }: Named, text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
  const unnamed = words.filter((word) => !name.toLowerCase().includes(word));
  return traits.filter((trait) => unnamed.some((word) => trait.toLowerCase().includes(word)));
}

const title = sql<string | null>`json_extract(metadata, '$.name')`.as('title');
const traitsJson = sql<string | null>`json_extract(metadata, '$.traits')`.as('traits');

function traitsIn(json: string | null): string[] {
  const traits = json === null ? [] : (JSON.parse(json) as { name: string; value: string }[]);
  return traits.map(({ name, value }) => `${name}: ${value}`);
}

/** Tokens whose outpoint starts with the text; undefined if the text cannot be the start of one, or none is found. */
function outpointsFrom(all: readonly Named[], text: string): Named[] | undefined {
  const sought = readSought(text);
  const start = sought.kind === 'outpoint' ? `${sought.txid}_${sought.index}` : text.toLowerCase();
  const exact = sought.kind === 'outpoint';
  if (!exact && !new RegExp(`^[0-9a-f]{${MIN_TXID_DIGITS},64}$`).test(start)) return undefined;
  const found = all.filter(({ outpoint }) => (exact ? outpoint === start : outpoint?.startsWith(start)));
  // without a match it may be a name such as `face`, which is hexadecimal too
  return found.length > 0 ? found : undefined;
}

async function itemsOf({ store, network }: Options): Promise<Named[]> {
  const rows = await store.db
    .selectFrom('studio_items')
    .leftJoin('studio_projects', (join) =>
      join
        .onRef('studio_projects.uid', '=', 'studio_items.project_uid')
        .onRef('studio_projects.network', '=', 'studio_items.network'),
    )
    .select(['studio_items.id', 'file_name', 'project_uid', 'state', 'txid', 'vout', 'studio_projects.name as project'])
    .select([title, traitsJson])
    .where('studio_items.network', '=', network)
    .execute();
  const minted = new Set<string>(mintStates.having('submitted'));
  return rows.map((row) => ({
    id: row.id,
    name: row.title ?? '',
    fileName: row.file_name,
    traits: traitsIn(row.traits),
    project: row.project,
    projectUid: row.project_uid,
    outpoint: row.txid !== null && minted.has(row.state) ? `${row.txid}_${row.vout}` : null,
  }));
}

/** Tokens in the wallet that were not minted here, as far as they were read. */
async function receivedOf({ store, network }: Options, outputs: readonly NonFundingOutput[]): Promise<Named[]> {
  const rows = await store.db
    .selectFrom('studio_read_tokens')
    .select(['outpoint', title, traitsJson])
    .where('network', '=', network)
    .where('origin', 'is not', null)
    .where('origin', 'not in', (select) =>
      select
        .selectFrom('studio_items')
        .select(sql<string>`txid || '_' || vout`.as('minted'))
        .where('txid', 'is not', null),
    )
    .execute();
  const held = new Set(outputs.map(({ utxo }) => formatOutpoint(utxo)));
  return rows
    .filter(({ outpoint }) => held.has(outpoint))
    .map(({ outpoint, title: name, traits }) => ({
      id: '',
      name: name ?? '',
      fileName: '',
      traits: traitsIn(traits),
      project: null,
      projectUid: null,
      outpoint,
    }));
}

/** The names of the tokens that are, or were inscribed, in these outputs. */
export async function tokenNames(
  { store, network }: Pick<Options, 'store' | 'network'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const outpoints = ids.filter((id) => /^[0-9a-f]{64}_\d+$/.test(id));
  if (outpoints.length === 0) return new Map();
  const txids = outpoints.map((outpoint) => outpoint.slice(0, 64));
  const minted = await store.db
    .selectFrom('studio_items')
    .select(['txid', 'vout', title])
    .where('network', '=', network)
    .where('txid', 'in', txids)
    .execute();
  const read = await store.db
    .selectFrom('studio_read_tokens')
    .select(['outpoint', title])
    .where('network', '=', network)
    .where('outpoint', 'in', outpoints)
    .execute();
  const wanted = new Set(outpoints);
  const named = [...read, ...minted.map((row) => ({ outpoint: `${row.txid}_${row.vout}`, title: row.title }))];
  return new Map(
    named.flatMap(({ outpoint, title: name }) =>
      name !== null && name !== '' && wanted.has(outpoint) ? [[outpoint, name] as const] : [],
    ),
  );
}

async function filesOf(
  { store }: Pick<Options, 'store'>,
  ids: readonly string[],
): Promise<Map<string, NonNullable<SearchHit['file']>>> {
  const rows = await store.db
    .selectFrom('studio_items')
    .select(['id', 'sha256', 'file_name', 'content_type', 'bytes'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, fileOf(row)]));
}
