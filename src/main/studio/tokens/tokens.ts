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
  type Contract,
  type LedgerRow,
  mintStates,
  PlanchetError,
  type Project,
  type Serves,
  type TokenCard,
  type TokenClaims,
  type TokenDetail,
  type TokenHop,
  toFailure,
} from '../../../contract/index.ts';
import { inTurns } from '../../pause.ts';
import type { Pictures } from '../../ports/pictures.ts';
import type { NameSource, SearchSource } from '../../ports/search.ts';
import { placedReader } from '../review/chain-facts.ts';
import { certificateOf } from './certificate.ts';
import { claimsOf, collectionOf } from './claims.ts';
import { facetsOf, rarityOf } from './facets.ts';
import { studioSources, tokenNames } from './find.ts';
import { chosenCards, type GalleryOptions, tokenReader } from './gallery.ts';
import { ledgerCsv, ledgerLength, ledgerRows } from './ledger.ts';
import { pathOf } from './path.ts';
import { type BundlerOptions, proveTokens } from './proof/bundler.ts';
import { PublishedAddresses } from './publishing/addresses.ts';
import { createPublisher } from './publishing/publisher.ts';
import { tokenBlocks } from './token-blocks.ts';

export interface TokensOptions extends GalleryOptions, BundlerOptions {
  /** @throws PlanchetError `not-found` */
  readonly project: (uid: string) => Promise<Project>;
  readonly pictures: Pick<Pictures, 'certificate' | 'resized'>;
}

/** The tokens of all projects, and those that the wallet received. */
export interface Tokens extends Omit<Serves<Contract['tokens']>, 'send' | 'sendMany'> {
  /** Projects, items and tokens, for the search. */
  readonly searched: readonly SearchSource[];
  /** The names of the tokens in these outputs. */
  readonly names: NameSource;
}

export function createTokens(options: TokensOptions): Tokens {
  const allTokens = tokenReader(options);
  const find = async (outpoint: string): Promise<TokenCard> => {
    const cards = await allTokens();
    const token = cards.find((card) => card.outpoint === outpoint) ?? cards.find((card) => card.origin === outpoint);
    if (token === undefined) throw new PlanchetError('tokens.missing', { outpoint });
    return token;
  };
  const publishing = createPublisher({
    ...options,
    prove: (outpoints, mostCoverBytes) => proveTokens(outpoints, options, mostCoverBytes),
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
    /** Those that left the wallet last. */
    async list({ offset, limit, ...filter }) {
      const found = chosenCards(await allTokens(), filter);
      return { tokens: found.slice(offset, offset + limit), total: found.length };
    },
    /** Where those in the wallet are, in the order of `list`. */
    async outpoints(filter) {
      const held = chosenCards(await allTokens(), { ...filter, owned: true });
      return { outpoints: held.map(({ outpoint }) => outpoint) };
    },
    /** @param input `outpoint` is where the token is or where it was inscribed. @throws PlanchetError `not-found` */
    async get({ outpoint }) {
      const token = await find(outpoint);
      const rarity = await rarityOf(token, options);
      try {
        const { metadata, provenance } = await wayOf(token, options);
        return { token, rarity, metadata, claims: await claimsFor(metadata, options), provenance, failure: null };
      } catch (error) {
        const unread = { metadata: {}, claims: claimsOf({}, undefined), provenance: [] };
        return { token, rarity, ...unread, failure: toFailure(error) };
      }
    },
    async facets({ projectUid }) {
      return facetsOf(await allTokens(), projectUid);
    },
    blocks: () => tokenBlocks(options),
    /** @throws PlanchetError `not-found` (project) */
    async ledger({ projectUid, offset, limit }) {
      const { uid } = await options.project(projectUid);
      const [rows, total] = await Promise.all([
        ledgerRows(options, uid, { offset, limit }),
        ledgerLength(options, uid),
      ]);
      return { rows, total };
    },
    /** @throws PlanchetError `not-found` (project) */
    async exportLedger({ projectUid, format }) {
      const rows = await ledgerRows(options, (await options.project(projectUid)).uid);
      return format === 'csv'
        ? new Blob([ledgerCsv(rows)], { type: 'text/csv;charset=utf-8' })
        : new Blob([JSON.stringify(rows, null, 2)], { type: 'application/json' });
    },
    /** @returns a PDF page. @throws PlanchetError `not-found` | `conflict` (not mined yet) | `invalid-input` (no token) | `upstream-*` */
    async certificate({ outpoint, language, picture }) {
      const token = await find(outpoint);
      const { metadata, provenance, content } = await wayOf(token, options);
      const claims = await claimsFor(metadata, options);
      const { network, pictures } = options;
      const still = picture === undefined ? null : new Uint8Array(await picture.arrayBuffer());
      return certificateOf({ token, provenance, claims, content, still, network, language, pictures });
    },
    /** @throws PlanchetError `not-found` | `conflict` (not mined yet) | `invalid-input` (no token) | `file-too-large` | `upstream-*` */
    async bundle(input) {
      const outpoints =
        'outpoint' in input
          ? [input.outpoint]
          : (await minedRows(input.projectUid, options)).rows.map(({ outpoint }) => outpoint);
      const { file } = await proveTokens(outpoints, options);
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

/** The claims of a token, together with those of its collection's token where that is known. */
async function claimsFor(
  metadata: Readonly<Record<string, string>>,
  { chainData }: Pick<TokensOptions, 'chainData'>,
): Promise<TokenClaims> {
  const outpoint = collectionOf(metadata.subTypeData);
  if (outpoint === null) return claimsOf(metadata, undefined);
  try {
    const { txid, vout } = parseOutpoint(outpoint);
    const { value: raw } = await chainData.transaction(txid);
    // the maker of the token chose the transaction, which may have millions of outputs
    const output = raw === undefined ? undefined : (await inTurns(scanSingleTx(raw))).output(vout);
    const inscription = output === undefined ? undefined : readInscription(output.script);
    return claimsOf(metadata, inscription === undefined ? undefined : { outpoint, metadata: inscription.map });
  } catch (error) {
    if (error instanceof PlanchetError || error instanceof ChainError) return claimsOf(metadata, undefined);
    throw error;
  }
}

/** A token's metadata and its moves from the inscription to where it is now, as the chain has them. */
async function wayOf(token: TokenCard, { chainData, network }: TokensOptions): Promise<Way> {
  const find = placedReader(chainData);
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
