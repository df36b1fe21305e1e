import type { Logger } from 'pino';
import { z } from 'zod';
import { encodeAddress, formatOutpoint, ownerKeyHash, parseOutpoint, sha256, toHex } from '../../../chain/index.ts';
import {
  type MintState,
  mintStates,
  type Network,
  PlanchetError,
  type TokenCard,
  type TokenFacets,
  type TokenQuery,
} from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpc } from '../../ports/node.ts';
import type { Store } from '../../ports/store.ts';
import type { NonFundingOutput, TokenWallet } from '../../ports/wallet.ts';
import { metadataOf } from '../projects/items.ts';
import { placedTransaction } from '../review/chain-facts.ts';
import { addressNetwork } from '../review/review-subject.ts';
import type { StudioTables } from '../tables.ts';
import { pathOf } from './path.ts';
import type { ReadTokenRow } from './tables.ts';
import {
  findTokens,
  type HeldTokens,
  PROTOCOL_KEYS,
  type TokenFilter,
  type TokenPlace,
  tokenFacets,
  unknownTokens,
} from './token-index.ts';

/** Received tokens whose inscriptions are read with one call; the next call reads the next ones. */
const READ_AT_ONCE = 50;
const MAX_READ_TRAITS = 64;

export interface GalleryOptions {
  readonly network: Network;
  readonly store: Store<StudioTables>;
  readonly wallet: Pick<TokenWallet, 'nonFundingOutputs' | 'status'>;
  readonly node: NodeRpc;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One page of the tokens that were minted here or that the wallet received, newest first and those that left the wallet last. */
export async function listTokens(
  options: GalleryOptions,
  query: TokenFilter & Pick<TokenQuery, 'limit' | 'offset'>,
): Promise<{ tokens: TokenCard[]; total: number }> {
  const held = heldTokens(options);
  const addresses = addressesOf(held, options.network);
  await readTokens(options, await unknownTokens(options, addresses, READ_AT_ONCE));
  const { places, total } = await findTokens(options, addresses, query);
  const minted = await mintedTokens(options, places);
  const received = await receivedTokens(options, places);
  const addressOf = new Map(addresses);
  const tokens = places.map(({ id, outpoint }): TokenCard => {
    const coin = held.get(outpoint);
    const own = id === null ? undefined : minted.get(id);
    if (own !== undefined && coin === undefined) return own;
    const { height } = coin as NonFundingOutput;
    const address = addressOf.get(outpoint) ?? null;
    const place = { outpoint, owned: true, address, blockHeight: height } as const;
    // A coin that was moved here is as far as its own transaction.
    if (own?.outpoint === outpoint) return { ...own, owned: true, address };
    const state = height === null ? 'seen' : 'proven';
    if (own !== undefined) return { ...own, ...place, state };
    return receivedCard(received.get(outpoint), { ...place, state }, options.clock.now());
  });
  return { tokens, total };
}

/** By what the tokens can be filtered. @param projectUid counts the traits of its tokens alone */
export function listFacets(options: GalleryOptions, projectUid?: string): Promise<TokenFacets> {
  return tokenFacets(options, addressesOf(heldTokens(options), options.network), projectUid);
}

/** The one-satoshi outputs of the wallet by outpoint. */
function heldTokens({ wallet }: GalleryOptions): Map<string, NonFundingOutput> {
  return new Map(
    wallet
      .nonFundingOutputs()
      .flatMap((output) => (output.utxo.satoshis === 1 ? [[formatOutpoint(output.utxo), output] as const] : [])),
  );
}

function addressesOf(held: ReadonlyMap<string, NonFundingOutput>, network: Network): HeldTokens {
  const addressOf = addressReader(network);
  return [...held].map(([outpoint, { utxo }]) => [outpoint, addressOf(utxo.lockingScript)]);
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

/** The cards of the items among these places, by item, each where it was minted. */
async function mintedTokens(
  { store, network, wallet }: GalleryOptions,
  places: readonly TokenPlace[],
): Promise<Map<string, TokenCard>> {
  const ids = places.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return new Map();
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
    .where('studio_items.id', 'in', ids)
    .execute();
  const collectionRows = await store.db
    .selectFrom('studio_items')
    .select(['project_uid', 'txid', 'vout'])
    .where('network', '=', network)
    .where('project_uid', 'in', [...new Set(rows.map(({ project_uid }) => project_uid))])
    .where('sub_type', '=', 'collection')
    .where('state', 'in', mintStates.having('submitted'))
    .where('txid', 'is not', null)
    .execute();
  const collections = new Map(collectionRows.map((row) => [row.project_uid, `${row.txid}_${row.vout}`]));
  const own = wallet.status().address;
  const cards = rows.map((row): TokenCard => {
    const outpoint = `${row.txid}_${row.vout}`;
    const { name, traits } = metadataOf(row);
    return {
      outpoint,
      origin: outpoint,
      name,
      source: 'minted',
      owned: false,
      // what was minted to this wallet and is not in it any more has moved on, nobody here knows where
      address: row.destination === own ? null : row.destination,
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
  return new Map(cards.map((card) => [card.itemId as string, card]));
}

/** What was read of the received tokens among these places. */
async function receivedTokens(
  { store, network }: GalleryOptions,
  places: readonly TokenPlace[],
): Promise<Map<string, ReadTokenRow>> {
  const outpoints = places.flatMap(({ id, outpoint }) => (id === null ? [outpoint] : []));
  if (outpoints.length === 0) return new Map();
  const rows = await store.db
    .selectFrom('studio_read_tokens')
    .selectAll()
    .where('network', '=', network)
    .where('outpoint', 'in', outpoints)
    .execute();
  return new Map(rows.map((row) => [row.outpoint, row]));
}

/** Reads these received tokens from the node, for as long as it answers. */
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
      // One whose transactions this node does not know says nothing about the others; a node that does not answer is not asked for them.
      if (!(error instanceof PlanchetError) || error.code !== 'not-found') return;
    }
  }
}

/** @throws what the node's calls throw */
async function readOne(
  { node }: GalleryOptions,
  outpoint: string,
): Promise<Omit<ReadTokenRow, 'outpoint' | 'network' | 'read_at'>> {
  try {
    const { path, inscription } = await pathOf(parseOutpoint(outpoint), async (txid) => {
      const found = await placedTransaction(node, txid);
      if (found === undefined) throw new PlanchetError('token.transaction-unknown', { txid });
      return found;
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

/** What a received token says of itself: keys of its own, or the traits of an item of a collection. */
function traitsOf(metadata: Readonly<Record<string, string>>): TokenCard['traits'] {
  const { traits } = subTypeDataOf(metadata.subTypeData);
  const structured = traitListSchema.safeParse(traits).data ?? [];
  const own = Object.entries(metadata).filter(([name]) => !PROTOCOL_KEYS.includes(name));
  return [...own.map(([name, value]) => ({ name, value })), ...structured].slice(0, MAX_READ_TRAITS);
}

const traitListSchema = z.array(z.object({ name: z.string(), value: z.coerce.string() }));

/** The collection that a token says it belongs to: the claim of whoever minted it. */
function collectionOf(subTypeData: string | undefined): string | null {
  const { collectionId } = subTypeDataOf(subTypeData);
  try {
    return typeof collectionId === 'string' ? formatOutpoint(parseOutpoint(collectionId)) : null;
  } catch {
    return null;
  }
}

/** Nothing where it is no JSON object. */
function subTypeDataOf(text: string | undefined): { collectionId?: unknown; traits?: unknown } {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
