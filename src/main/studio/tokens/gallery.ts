import { sql } from 'kysely';
import type { Logger } from 'pino';
import {
  addressNetwork,
  encodeAddress,
  formatOutpoint,
  ownerKeyHash,
  parseOutpoint,
  parseTxInSteps,
  sha256,
  toHex,
} from '../../../chain/index.ts';
import {
  type MintState,
  mintStates,
  type Network,
  PlanchetError,
  type TokenCard,
  type TokenFilter,
  type TokenSort,
} from '../../../contract/index.ts';
import { inTurns } from '../../pause.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { NonFundingOutput, TokenWallet } from '../../ports/wallet.ts';
import type { QuietParts } from '../parts.ts';
import { metadataOf } from '../projects/item-rows.ts';
import { collectionOf, numbersOf, traitsOf } from './claims.ts';
import { pathOf } from './path.ts';
import type { ReadTokenRow } from './tables.ts';

/** Received tokens whose inscriptions are read in one call; the next call reads further ones. */
const READ_AT_ONCE = 50;

export interface GalleryOptions extends QuietParts {
  readonly wallet: Pick<TokenWallet, 'nonFundingOutputs' | 'status'>;
  readonly chainData: ChainData;
  readonly logger: Logger;
}

/**
 * Caches a value that is made from the database and the wallet's outputs, until a row or an output changes.
 * @param make makes it anew
 */
export function kept<T>(
  { store, wallet }: Pick<GalleryOptions, 'store' | 'wallet'>,
  make: (outputs: readonly NonFundingOutput[]) => Promise<T>,
): () => Promise<T> {
  let last: { changes: number; outputs: readonly NonFundingOutput[]; made: Promise<T> } | undefined;
  return async () => {
    const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(store.db);
    const changes = Number(rows[0]?.changes);
    const outputs = wallet.nonFundingOutputs();
    if (last?.changes !== changes || last.outputs !== outputs) {
      const made = make(outputs);
      last = { changes, outputs, made };
      made.catch(() => {
        if (last?.made === made) last = undefined;
      });
    }
    return last.made;
  };
}

/** Reads all tokens that were minted here or that the wallet received, newest first and those that left the wallet last. */
export function tokenReader(options: GalleryOptions): () => Promise<readonly TokenCard[]> {
  const current = kept(options, (outputs) => allTokens(options, outputs));
  return async () => {
    const unread = (await current()).flatMap(({ read, outpoint }) => (read ? [] : [outpoint]));
    await readTokens(options, unread.slice(0, READ_AT_ONCE));
    return current();
  };
}

async function allTokens(options: GalleryOptions, outputs: readonly NonFundingOutput[]): Promise<TokenCard[]> {
  const held = new Map<string, NonFundingOutput>();
  for (const output of outputs) if (output.utxo.satoshis === 1) held.set(formatOutpoint(output.utxo), output);
  const minted = await mintedTokens(options, held);
  const byOrigin = new Map(minted.map((card) => [card.outpoint, card]));
  const elsewhere = [...held].filter(([outpoint]) => !byOrigin.has(outpoint));
  const read = await receivedRows(options);
  const received: TokenCard[] = [];
  const addressOf = addressReader(options.network);
  for (const [outpoint, { utxo, height }] of elsewhere) {
    const row = read.get(outpoint);
    const state = height === null ? 'seen' : 'proven';
    const place = {
      outpoint,
      owned: true,
      address: addressOf(utxo.lockingScript),
      blockHeight: height,
      state,
    } as const;
    // a token minted here that came back or moved within the wallet
    const own = row?.origin ? byOrigin.get(row.origin) : undefined;
    if (own === undefined) received.push(receivedCard(row, place, options.clock.now()));
    else Object.assign(own, place);
  }
  return [...received, ...minted].sort((a, b) => Number(b.owned) - Number(a.owned) || b.at - a.at);
}

/** Compares numbers in names by value: `Moon 2` comes before `Moon 10`. */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The value by which cards are sorted, in ascending order. */
const sortValue: Readonly<Record<TokenSort, (card: TokenCard) => number | string | null>> = {
  time: ({ at }) => -at,
  number: ({ number }) => number,
  rank: ({ rank }) => rank,
  name: ({ name }) => (name === '' ? null : name),
};

/** Those that fit, in the wanted order: those that left the wallet last, and before them those without a value. */
export function chosenCards(all: readonly TokenCard[], { sort, reversed, ...filter }: TokenFilter): TokenCard[] {
  const found = all.filter((card) => matches(card, filter));
  // they are in this order already
  if (sort === 'time' && !reversed) return found;
  const sortedBy = sortValue[sort];
  const keyed = found.map((card) => ({ card, value: sortedBy(card) }));
  const sign = reversed ? -1 : 1;
  keyed.sort(({ card: a, value: x }, { card: b, value: y }) => {
    if (a.owned !== b.owned) return Number(b.owned) - Number(a.owned);
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (typeof x === 'number' && typeof y === 'number' ? x - y : collator.compare(String(x), String(y)));
  });
  return keyed.map(({ card }) => card);
}

/** Whether a token is among those asked for. */
function matches(card: TokenCard, query: Omit<TokenFilter, 'sort' | 'reversed'>): boolean {
  const { projectUid, traits, source, owned, text } = query;
  if (projectUid !== undefined && card.projectUid !== projectUid) return false;
  if (source !== undefined && card.source !== source) return false;
  if (owned !== undefined && card.owned !== owned) return false;
  for (const alternatives of Map.groupBy(traits ?? [], ({ name }) => name).values()) {
    const fits = (wanted: { name: string; value?: string | undefined }): boolean =>
      card.traits.some(({ name, value }) => name === wanted.name && (wanted.value ?? value) === value);
    if (!alternatives.some(fits)) return false;
  }
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const said = wordsOf(card);
  const ids = idsOf(card);
  return words.every((word) => said.includes(word) || (word.length >= LEAST_OF_ID && ids.includes(word)));
}

/** Characters of an id or an address by which it is found. Nearly every id has a given number of two digits in it. */
const LEAST_OF_ID = 5;

// null is joined as an empty text
function wordsOf({ name, projectName, traits }: TokenCard): string {
  const own = [name, projectName, ...traits.map((trait) => `${trait.name} ${trait.value}`)];
  return own.join('\n').toLowerCase();
}

function idsOf({ outpoint, origin, address, collectionId }: TokenCard): string {
  return [outpoint, origin, address, collectionId].join('\n').toLowerCase();
}

/** Reads the owner's address of a lock. Most tokens of a wallet have one owner, so each key is written as an address once. */
function addressReader(network: Network): (lockingScript: Uint8Array) => string | null {
  const known = new Map<string, string>();
  return (lockingScript) => {
    const hash = ownerKeyHash(lockingScript);
    if (hash === undefined) return null;
    const key = toHex(hash);
    const address = known.get(key) ?? encodeAddress(hash, addressNetwork(network));
    known.set(key, address);
    return address;
  };
}

async function mintedTokens(
  { store, network, wallet }: GalleryOptions,
  held: ReadonlyMap<string, NonFundingOutput>,
): Promise<TokenCard[]> {
  const rows = await store.db
    .selectFrom('studio_items')
    .leftJoin('studio_jobs', 'studio_jobs.id', 'studio_items.job_id')
    .leftJoin('studio_projects', (join) =>
      join
        .onRef('studio_projects.uid', '=', 'studio_items.project_uid')
        .onRef('studio_projects.network', '=', 'studio_items.network'),
    )
    .selectAll('studio_items')
    .select(['studio_jobs.block_height', 'studio_jobs.created_at as minted_at', 'studio_jobs.destination'])
    .select('studio_projects.name as project')
    .where('studio_items.network', '=', network)
    .where('studio_items.state', 'in', mintStates.having('submitted'))
    .where('studio_items.txid', 'is not', null)
    .orderBy('studio_items.position')
    .execute();
  const collections = new Map(
    rows.flatMap((row) => (row.sub_type === 'collection' ? [[row.project_uid, `${row.txid}_${row.vout}`]] : [])),
  );
  const addressOf = addressReader(network);
  const own = wallet.status().address;
  return rows.map((row): TokenCard => {
    const outpoint = `${row.txid}_${row.vout}`;
    const coin = held.get(outpoint);
    // a token that was minted to this wallet and left it has an unknown owner
    const elsewhere = row.destination === own ? null : row.destination;
    const { name, traits, mintNumber, rank } = metadataOf(row);
    return {
      outpoint,
      origin: outpoint,
      name,
      number: mintNumber ?? null,
      rank: rank ?? null,
      source: 'minted',
      owned: coin !== undefined,
      address: coin === undefined ? elsewhere : addressOf(coin.utxo.lockingScript),
      read: true,
      projectUid: row.project_uid,
      projectName: row.project,
      itemId: row.id,
      collectionId: row.sub_type === 'collectionItem' ? (collections.get(row.project_uid) ?? null) : null,
      content: {
        sha256: row.sha256,
        contentType: row.content_type,
        bytes: Number(row.bytes),
        stored: true,
        fileName: row.file_name,
      },
      traits: traits.map((trait) => ({ name: trait.name, value: trait.value })),
      state: row.state as MintState,
      blockHeight: row.block_height === null ? null : Number(row.block_height),
      at: Number(row.minted_at ?? row.created_at),
    };
  });
}

/** What was read of received outputs, by outpoint. */
async function receivedRows({ store, network }: GalleryOptions): Promise<Map<string, ReadTokenRow>> {
  const rows = await store.db.selectFrom('studio_read_tokens').selectAll().where('network', '=', network).execute();
  return new Map(rows.map((row) => [row.outpoint, row]));
}

/** Reads these received tokens, until the node does not answer. */
async function readTokens(options: GalleryOptions, outpoints: readonly string[]): Promise<void> {
  const { store, network, clock, logger } = options;
  for (const outpoint of outpoints) {
    try {
      const row: ReadTokenRow = { outpoint, network, read_at: clock.now(), ...(await readOne(options, outpoint)) };
      await store.db
        .insertInto('studio_read_tokens')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    } catch (error) {
      logger.debug({ err: error, outpoint }, 'a received token was not read');
      // If only this token's transactions are unknown, the others are still read; if the node does not answer, they are not.
      if (!(error instanceof PlanchetError) || error.code !== 'not-found') return;
    }
  }
}

/** @throws PlanchetError `upstream-*` */
async function readOne(
  { chainData }: GalleryOptions,
  outpoint: string,
): Promise<Omit<ReadTokenRow, 'outpoint' | 'network' | 'read_at'>> {
  try {
    const { path, inscription } = await pathOf(parseOutpoint(outpoint), async (txid) => {
      const { value: raw } = await chainData.transaction(txid);
      if (raw === undefined) throw new PlanchetError('token.transaction-unknown', { txid });
      return { tx: await inTurns(parseTxInSteps(raw)) };
    });
    return {
      origin: formatOutpoint(path[0] ?? parseOutpoint(outpoint)),
      content_type: inscription.contentType,
      sha256: toHex(sha256(inscription.content)),
      bytes: inscription.content.length,
      metadata: JSON.stringify(inscription.map),
    };
  } catch (error) {
    if (!(error instanceof PlanchetError) || error.code !== 'invalid-input') throw error;
    return { origin: null, content_type: '', sha256: '', bytes: 0, metadata: '{}' };
  }
}

function receivedCard(
  row: ReadTokenRow | undefined,
  place: Pick<TokenCard, 'outpoint' | 'owned' | 'address' | 'blockHeight' | 'state'>,
  now: number,
): TokenCard {
  const metadata = row === undefined ? {} : (JSON.parse(row.metadata) as Record<string, string>);
  return {
    ...place,
    origin: row?.origin ?? null,
    name: metadata.name ?? '',
    ...numbersOf(metadata.subTypeData),
    source: 'received',
    read: row !== undefined,
    projectUid: null,
    projectName: null,
    itemId: null,
    collectionId: collectionOf(metadata.subTypeData),
    content:
      row === undefined || row.origin === null
        ? null
        : {
            sha256: row.sha256,
            contentType: row.content_type,
            bytes: Number(row.bytes),
            stored: false,
            fileName: null,
          },
    traits: traitsOf(metadata),
    at: Number(row?.read_at ?? now),
  };
}
