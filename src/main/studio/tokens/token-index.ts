import { type RawBuilder, sql } from 'kysely';
import {
  MAX_FACET_TRAITS,
  mintStates,
  type Network,
  type TokenFacets,
  type TokenQuery,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { TokenWallet } from '../../ports/wallet.ts';
import type { StudioTables } from '../tables.ts';

/** Keys of the protocol, which are not traits. */
export const PROTOCOL_KEYS = ['name', 'app', 'type', 'subType', 'subTypeData', 'description', 'royalties'];

interface Options {
  readonly network: Network;
  readonly store: Store<StudioTables>;
  readonly wallet: Pick<TokenWallet, 'status'>;
  readonly clock: Clock;
}

/** One-satoshi outputs of the wallet with the owners' addresses. */
export type HeldTokens = readonly (readonly [outpoint: string, address: string | null])[];

/** A token as the index lists it. */
export interface TokenPlace {
  /** Item that was minted here; null where the token was received. */
  readonly id: string | null;
  /** Where it is, as far as is known. */
  readonly outpoint: string;
}

export interface TokenFilter extends Partial<TokenQuery> {
  /** Where the token is, or was inscribed. */
  readonly place?: string;
}

/**
 * The tables `tokens` and `traits`: everything that was minted here or that the wallet holds. A token of our own that was moved within the
 * wallet, or came back, is where it is now.
 */
function tables({ network, wallet, clock }: Options, held: HeldTokens): RawBuilder<unknown> {
  const subTypeData = sql`case when json_valid(r.metadata->>'subTypeData') then r.metadata->>'subTypeData' else '{}' end`;
  return sql`
    with held as materialized (
      select value->>0 as outpoint, value->>1 as address from json_each(${JSON.stringify(held)})
    ), minted as materialized (
      select i.id, i.txid || '_' || i.vout as outpoint, i.project_uid, p.name as project, i.metadata->>'name' as name, i.sub_type, i.position,
        coalesce(j.created_at, i.created_at) as at, nullif(j.destination, ${wallet.status().address}) as destination
      from studio_items i left join studio_jobs j on j.id = i.job_id
        left join studio_projects p on p.uid = i.project_uid and p.network = i.network
      where i.network = ${network} and i.txid is not null and i.state in (${sql.join(mintStates.having('submitted'))})
    ), collections as materialized (
      select project_uid, max(outpoint) as outpoint from minted where sub_type = 'collection' group by project_uid
    ), arrived as materialized (
      select r.outpoint, r.origin, r.read_at, r.metadata, h.address
      from held h join studio_read_tokens r on r.outpoint = h.outpoint and r.network = ${network}
      where h.outpoint not in (select outpoint from minted)
    ), tokens as materialized (
      select 'minted' as source, m.id, coalesce(h.outpoint, a.outpoint, m.outpoint) as outpoint, m.outpoint as origin,
        coalesce(h.outpoint, a.outpoint) is not null as owned, coalesce(h.address, a.address, m.destination) as address, m.name,
        m.project_uid, m.project, case m.sub_type when 'collectionItem' then c.outpoint end as collection, m.at, m.position
      from minted m left join held h on h.outpoint = m.outpoint left join arrived a on a.origin = m.outpoint
        left join collections c on c.project_uid = m.project_uid
      union all
      select 'received', null, r.outpoint, r.origin, 1, r.address, r.metadata->>'name', null, null,
        json_extract(${subTypeData}, '$.collectionId'), r.read_at, 0
      from arrived r where r.origin is null or r.origin not in (select outpoint from minted)
      union all
      select 'received', null, h.outpoint, null, 1, h.address, '', null, null, null, ${clock.now()}, 0
      from held h where h.outpoint not in (select outpoint from minted) and h.outpoint not in (select outpoint from arrived)
    ), traits as (
      select t.outpoint, t.project_uid, e.value->>'name' as name, e.value->>'value' as value
      from tokens t join studio_items i on i.id = t.id, json_each(i.metadata, '$.traits') e
      union all
      select t.outpoint, null, e.key, e.value
      from tokens t join arrived r on r.outpoint = t.outpoint, json_each(r.metadata) e
      where t.id is null and e.key not in (${sql.join(PROTOCOL_KEYS)})
      union all
      select t.outpoint, null, e.value->>'name', cast(e.value->>'value' as text)
      from tokens t join arrived r on r.outpoint = t.outpoint, json_each(${subTypeData}, '$.traits') e
      where t.id is null and case e.type when 'object' then e.value->>'name' end is not null
    )`;
}

function condition({ place, projectUid, source, owned, traits = [], text = '' }: TokenFilter): RawBuilder<unknown> {
  const parts: RawBuilder<unknown>[] = [sql`true`];
  if (place !== undefined) parts.push(sql`(t.outpoint = ${place} or t.origin = ${place})`);
  if (projectUid !== undefined) parts.push(sql`t.project_uid = ${projectUid}`);
  if (source !== undefined) parts.push(sql`t.source = ${source}`);
  if (owned !== undefined) parts.push(sql`t.owned = ${owned ? 1 : 0}`);
  for (const [name, alternatives] of Map.groupBy(traits, (trait) => trait.name)) {
    const values = alternatives.flatMap(({ value }) => (value === undefined ? [] : [value]));
    const fits = values.length < alternatives.length ? sql`true` : sql`value in (${sql.join(values)})`;
    parts.push(sql`t.outpoint in (select outpoint from traits where name = ${name} and ${fits})`);
  }
  for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const fields = sql`concat_ws(char(10), t.name, t.outpoint, t.origin, t.address, t.project, t.collection)`;
    const fits = sql`instr(fold(name || ' ' || value), ${word}) > 0`;
    parts.push(sql`(instr(fold(${fields}), ${word}) > 0 or t.outpoint in (select outpoint from traits where ${fits}))`);
  }
  return sql.join(parts, sql` and `);
}

/** One page of the tokens asked for, newest first and those that left the wallet last, and how many there are of them. */
export async function findTokens(
  options: Options,
  held: HeldTokens,
  { limit, offset, ...filter }: TokenFilter & Pick<TokenQuery, 'limit' | 'offset'>,
): Promise<{ places: TokenPlace[]; total: number }> {
  const from = sql`${tables(options, held)} select`;
  const { db } = options.store;
  const page = sql<TokenPlace & { total: number }>`${from} t.id, t.outpoint, count(*) over () as total from tokens t
    where ${condition(filter)} order by t.owned desc, t.at desc, t.position, t.outpoint limit ${limit} offset ${offset}`;
  const { rows } = await page.execute(db);
  const [first] = rows;
  if (first !== undefined || offset === 0) return { places: rows, total: Number(first?.total ?? 0) };
  const count = sql<{ total: number }>`${from} count(*) as total from tokens t where ${condition(filter)}`;
  return { places: [], total: Number((await count.execute(db)).rows[0]?.total) };
}

/** Outputs of the wallet of which nothing is known yet. */
export async function unknownTokens({ network, store }: Options, held: HeldTokens, limit: number): Promise<string[]> {
  const { rows } = await sql<{ outpoint: string }>`
    select value->>0 as outpoint from json_each(${JSON.stringify(held)})
    where outpoint not in (select outpoint from studio_read_tokens where network = ${network})
      and outpoint not in (select txid || '_' || vout from studio_items where network = ${network} and txid is not null)
    limit ${limit}`.execute(store.db);
  return rows.map(({ outpoint }) => outpoint);
}

/** By what the tokens can be filtered. @param projectUid counts the traits of its tokens alone */
export async function tokenFacets(options: Options, held: HeldTokens, projectUid?: string): Promise<TokenFacets> {
  const { db } = options.store;
  const from = tables(options, held);
  const sources = await sql<{ uid: string | null; name: string | null; source: string; count: number }>`${from}
    select t.source, t.project_uid as uid, t.project as name, count(*) as count from tokens t group by 1, 2, 3`.execute(
    db,
  );
  const ofProject = projectUid === undefined ? sql`true` : sql`project_uid = ${projectUid}`;
  const traits = await sql<TokenFacets['traits'][number]>`${from} select name, value, count(*) as count from traits
    where ${ofProject} group by name, value order by name, count desc, value limit ${MAX_FACET_TRAITS}`.execute(db);
  const sum = (source: string): number =>
    sources.rows.reduce((total, row) => total + (row.source === source ? Number(row.count) : 0), 0);
  return {
    minted: sum('minted'),
    received: sum('received'),
    projects: sources.rows
      .flatMap(({ uid, name, count }) => (uid === null ? [] : [{ uid, name: name ?? uid, count: Number(count) }]))
      .sort((a, b) => a.name.localeCompare(b.name)),
    traits: traits.rows.sort(
      (a, b) => a.name.localeCompare(b.name) || b.count - a.count || a.value.localeCompare(b.value),
    ),
  };
}
