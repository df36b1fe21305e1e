import {
  addressNetwork,
  ChainError,
  encodeAddress,
  formatOutpoint,
  ownerKeyHash,
  parseOutpoint,
  readInscription,
  scanSingleTx,
} from '../../../chain/index.ts';
import {
  type BundleInput,
  type LedgerRow,
  mintStates,
  PlanchetError,
  type Project,
  type TokenCard,
  type TokenClaims,
  type TokenDetail,
  type TokenFacets,
  type TokenFilter,
  type TokenHop,
  type TokenQuery,
  toFailure,
} from '../../../contract/index.ts';
import { inTurns } from '../../pause.ts';
import type { Pictures } from '../../ports/pictures.ts';
import type { NameSource, SearchSource } from '../../ports/search.ts';
import { type PlacedTx, placedTransaction } from '../review/chain-facts.ts';
import { certificateOf } from './certificate.ts';
import { claimsOf, collectionOf } from './claims.ts';
import { facetsOf, rarityOf } from './facets.ts';
import { studioSources, tokenNames } from './find.ts';
import { chosenCards, type GalleryOptions, tokenReader } from './gallery.ts';
import { ledgerCsv, ledgerLength, ledgerRows } from './ledger.ts';
import { pathOf } from './path.ts';
import { type BundlerOptions, createBundler } from './proof/bundler.ts';
import { PublishedAddresses } from './publishing/addresses.ts';
import { createPublisher, type Publisher } from './publishing/publisher.ts';
import { tokenBlocks } from './token-blocks.ts';

export interface TokensOptions extends GalleryOptions, BundlerOptions {
  /** @throws PlanchetError `not-found` */
  readonly project: (uid: string) => Promise<Project>;
  readonly pictures: Pick<Pictures, 'certificate' | 'resized'>;
}

/** The tokens of all projects, and those that the wallet received. */
export interface Tokens {
  /** Those that left the wallet last. */
  list(query: TokenQuery): Promise<{ tokens: TokenCard[]; total: number }>;
  /** Where those in the wallet are, in the order of {@link Tokens.list}. */
  outpoints(filter: TokenFilter): Promise<{ outpoints: string[] }>;
  /** @param input `outpoint` is where the token is or where it was inscribed. @throws PlanchetError `not-found` */
  get(input: { outpoint: string }): Promise<TokenDetail>;
  /** @param input `projectUid` counts the traits of its tokens alone */
  facets(input: { projectUid?: string | undefined }): Promise<TokenFacets>;
  /** Tokens by the height of their block, the lowest first. */
  blocks(): Promise<{ height: number; tokens: number }[]>;
  /** @throws PlanchetError `not-found` (project) */
  ledger(input: { projectUid: string; offset: number; limit: number }): Promise<{ rows: LedgerRow[]; total: number }>;
  /** @throws PlanchetError `not-found` (project) */
  exportLedger(input: { projectUid: string; format: 'json' | 'csv' }): Promise<Blob>;
  /** @returns a PDF page. @throws PlanchetError `not-found` | `conflict` (not mined yet) | `invalid-input` (no token) | `upstream-*` */
  certificate(input: { outpoint: string; language: string }): Promise<Blob>;
  /** Projects, items and tokens, for the search. */
  readonly searched: readonly SearchSource[];
  /** The names of the tokens in these outputs. */
  readonly names: NameSource;
  /** @throws PlanchetError `not-found` | `conflict` (not mined yet) | `invalid-input` (no token) | `file-too-large` | `upstream-*` */
  bundle(input: BundleInput): Promise<{ bundle: Blob; tokens: number }>;
  /** The tokens of a project as a folder of pages. */
  readonly publishing: Publisher;
}

export function createTokens(options: TokensOptions): Tokens {
  const bundler = createBundler(options);
  const allTokens = tokenReader(options);
  const ledgerOf = async (projectUid: string): Promise<LedgerRow[]> =>
    ledgerRows(options, (await options.project(projectUid)).uid);
  const find = async (outpoint: string): Promise<TokenCard> => {
    const cards = await allTokens();
    const token = cards.find((card) => card.outpoint === outpoint) ?? cards.find((card) => card.origin === outpoint);
    if (token === undefined) throw new PlanchetError('tokens.missing', { outpoint });
    return token;
  };
  const publishing = createPublisher({
    ...options,
    bundler,
    addresses: new PublishedAddresses(options.store.db),
    minted: async (projectUid) => {
      const { name, rows } = await minedRows(projectUid, options);
      const items = rows.map(({ outpoint, subType }) => ({ outpoint, isCollection: subType === 'collection' }));
      return { name, items };
    },
  });
  return {
    publishing,
    searched: studioSources(options),
    names: (ids) => tokenNames(options, ids),
    async list({ offset, limit, ...filter }) {
      const found = chosenCards(await allTokens(), filter);
      return { tokens: found.slice(offset, offset + limit), total: found.length };
    },
    async outpoints(filter) {
      const held = chosenCards(await allTokens(), { ...filter, owned: true });
      return { outpoints: held.map(({ outpoint }) => outpoint) };
    },
    async get({ outpoint }) {
      const token = await find(outpoint);
      const rarity = await rarityOf(token, options);
      try {
        const { metadata, provenance } = await wayOf(token, options);
        return { token, rarity, metadata, claims: await claimsFor(metadata, options), provenance, failure: null };
      } catch (error) {
        return {
          token,
          rarity,
          metadata: {},
          claims: claimsOf({}, undefined),
          provenance: [],
          failure: toFailure(error),
        };
      }
    },
    async facets({ projectUid }) {
      return facetsOf(await allTokens(), projectUid);
    },
    blocks: () => tokenBlocks(options),
    async ledger({ projectUid, offset, limit }) {
      const { uid } = await options.project(projectUid);
      const [rows, total] = await Promise.all([
        ledgerRows(options, uid, { offset, limit }),
        ledgerLength(options, uid),
      ]);
      return { rows, total };
    },
    async exportLedger({ projectUid, format }) {
      const rows = await ledgerOf(projectUid);
      return format === 'csv'
        ? new Blob([ledgerCsv(rows)], { type: 'text/csv;charset=utf-8' })
        : new Blob([JSON.stringify(rows, null, 2)], { type: 'application/json' });
    },
    async certificate({ outpoint, language }) {
      const token = await find(outpoint);
      const { metadata, provenance, content } = await wayOf(token, options);
      const claims = await claimsFor(metadata, options);
      const { network, pictures } = options;
      return certificateOf({ token, provenance, claims, content, network, language, pictures });
    },
    async bundle(input) {
      const outpoints =
        'outpoint' in input
          ? [input.outpoint]
          : (await minedRows(input.projectUid, options)).rows.map(({ outpoint }) => outpoint);
      const file = await bundler.bundle(outpoints);
      return { bundle: new Blob([file as Uint8Array<ArrayBuffer>], { type: 'text/html' }), tokens: outpoints.length };
    },
  };
}

/** @throws PlanchetError `not-found` where there is no such project, or none of its tokens is mined */
async function minedRows(
  projectUid: string,
  options: TokensOptions,
): Promise<{ name: string; rows: (LedgerRow & { outpoint: string })[] }> {
  const { uid, name } = await options.project(projectUid);
  const rows = (await ledgerRows(options, uid)).flatMap(({ outpoint, ...row }) =>
    outpoint !== null && mintStates.is(row.state, 'mined') ? [{ ...row, outpoint }] : [],
  );
  if (rows.length === 0) throw new PlanchetError('bundle.project-empty', { name });
  return { name, rows };
}

interface Way extends Pick<TokenDetail, 'metadata' | 'provenance'> {
  readonly content: Uint8Array;
}

/** What a token says of itself, with the token of the collection that it names where somebody has that. */
async function claimsFor(
  metadata: Readonly<Record<string, string>>,
  { chainData }: Pick<TokensOptions, 'chainData'>,
): Promise<TokenClaims> {
  const outpoint = collectionOf(metadata.subTypeData);
  if (outpoint === null) return claimsOf(metadata, undefined);
  try {
    const { txid, vout } = parseOutpoint(outpoint);
    const { value: raw } = await chainData.transaction(txid);
    // whoever made the token chose the transaction, which may have millions of outputs
    const output = raw === undefined ? undefined : (await inTurns(scanSingleTx(raw))).output(vout);
    const inscription = output === undefined ? undefined : readInscription(output.script);
    return claimsOf(metadata, inscription === undefined ? undefined : { outpoint, metadata: inscription.map });
  } catch (error) {
    if (error instanceof PlanchetError || error instanceof ChainError) return claimsOf(metadata, undefined);
    throw error;
  }
}

/** A token's metadata and its way from the inscription to where it is now, as the chain has it. */
async function wayOf(token: TokenCard, { chainData, network }: TokensOptions): Promise<Way> {
  const placed = new Map<string, PlacedTx>();
  const find = async (txid: string): Promise<PlacedTx> => {
    const found = placed.get(txid) ?? (await placedTransaction(chainData, txid));
    if (found === undefined) throw new PlanchetError('token.transaction-unknown', { txid });
    placed.set(txid, found);
    return found;
  };
  const { path, inscription } = await pathOf(parseOutpoint(token.outpoint), find);
  const provenance: TokenHop[] = [];
  for (const [index, { txid, vout }] of path.entries()) {
    const { tx, block } = await find(txid);
    const owner = ownerKeyHash(tx.outputs[vout]?.script ?? new Uint8Array());
    const header = block === null ? undefined : (await chainData.header(block.hash)).value;
    provenance.push({
      kind: index === 0 ? 'mint' : 'move',
      outpoint: formatOutpoint({ txid, vout }),
      txid,
      address: owner === undefined ? null : encodeAddress(owner, addressNetwork(network)),
      blockHash: block?.hash ?? null,
      blockHeight: header?.height ?? null,
      at: header === undefined ? null : header.time * 1_000,
    });
  }
  return { metadata: { ...inscription.map }, provenance, content: inscription.content };
}
