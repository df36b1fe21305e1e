import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { FOLDER_SCRIPT, PAGE_STYLE } from '../../../../chain/bundle/index.ts';
import {
  countTraitsIn,
  type Network,
  PlanchetError,
  type publishingContract,
  type Serves,
  type TraitValueCounts,
} from '../../../../contract/index.ts';
import type { Pictures } from '../../../ports/pictures.ts';
import { traitsOf } from '../claims.ts';
import type { ProvenFile } from '../proof/bundler.ts';
import type { PublishedAddresses } from './addresses.ts';
import { collectionJson, feedXml, tokenJson } from './collector-files.ts';
import { type Folder, indexPage, type TraitCounts, tokenPage } from './pages.ts';
import { type PublishedFile, type PublishedToken, publishedToken } from './published-token.ts';

/** Most publications under way at the same time. */
const MOST_AT_ONCE = 4;
/** Tokens whose pages are one part. */
const PAGES_AT_ONCE = 200;
/** Each proof repeats the cover to give the collection's name, so only a small cover is included. */
const MOST_COVER_BYTES = 262_144;

/** A minted item, in the order of its project. */
interface MintedItem {
  readonly outpoint: string;
  readonly isCollection: boolean;
}

interface PublisherOptions {
  readonly network: Network;
  /** Makes the proof of tokens, see `proveTokens`. */
  readonly prove: (outpoints: readonly string[], mostCoverBytes: number) => Promise<ProvenFile>;
  readonly pictures: Pick<Pictures, 'resized'>;
  readonly addresses: PublishedAddresses;
  /** The mined tokens of a project. @throws PlanchetError `not-found` */
  readonly minted: (projectUid: string) => Promise<{ name: string; items: readonly MintedItem[] }>;
}

/** The content of a part: the proof of a transaction's tokens, one token's files, pages of some tokens, or the files about all of them. */
type Step =
  | { readonly kind: 'proof'; readonly outpoints: readonly string[] }
  | {
      readonly kind: 'token';
      readonly outpoint: string /** What its files are called; none of the cover. */;
      readonly number: string | undefined;
    }
  | { readonly kind: 'pages'; readonly from: number }
  | { readonly kind: 'index' };

interface Publication {
  readonly projectUid: string;
  readonly name: string;
  readonly base: string | null;
  readonly items: readonly MintedItem[];
  readonly steps: readonly Step[];
  /** Of the transaction whose tokens come next. */
  proven: ProvenFile | undefined;
  /** By outpoint, those whose files were handed over. */
  readonly tokens: Map<string, PublishedToken>;
  /** How many tokens have each trait; made with the first pages. */
  counts?: TraitValueCounts;
}

/** Makes the folders of pages that show a project's tokens to others. */
export function createPublisher(options: PublisherOptions): Serves<typeof publishingContract> {
  const publications = new LRUCache<string, Publication>({ max: MOST_AT_ONCE });
  return {
    async plan({ projectUid, baseUrl }) {
      const { name, items } = await options.minted(projectUid);
      const numbers = numbersOf(items);
      const pages = numbers.size;
      const groups = Map.groupBy(items, ({ outpoint }) => outpoint.slice(0, 64));
      const steps = [
        ...[...groups.values()].flatMap((group): Step[] => [
          { kind: 'proof', outpoints: group.map(({ outpoint }) => outpoint) },
          ...group.map(({ outpoint }): Step => ({ kind: 'token', outpoint, number: numbers.get(outpoint) })),
        ]),
        ...Array.from(
          { length: Math.ceil(pages / PAGES_AT_ONCE) },
          (_, at): Step => ({ kind: 'pages', from: at * PAGES_AT_ONCE }),
        ),
        { kind: 'index' } as const,
      ];
      const id = randomUUID();
      publications.set(id, { projectUid, name, base: baseUrl, items, steps, proven: undefined, tokens: new Map() });
      return { id, name, tokens: pages, parts: steps.length };
    },
    async part({ id, part }) {
      const publication = publications.get(id);
      const step = publication?.steps[part];
      if (publication === undefined || step === undefined) throw new PlanchetError('publish.gone');
      const files = await filesOf(step, publication, options);
      if (step.kind === 'index') {
        publications.delete(id);
        await options.addresses.remember(publication.projectUid, pagesOf(publication.items));
        if (publication.base !== null) await options.addresses.set(publication.projectUid, publication.base);
      }
      const blobs = files.map(({ content }) => new Blob([content as Uint8Array<ArrayBuffer>]));
      return { files: files.map(({ path }, at) => ({ path, bytes: blobs[at]?.size ?? 0 })), content: new Blob(blobs) };
    },
    async address({ projectUid }) {
      return { baseUrl: await options.addresses.of(projectUid) };
    },
    async setAddress({ projectUid, baseUrl }) {
      await options.addresses.set(projectUid, baseUrl);
      return { baseUrl };
    },
    async link({ origin }) {
      return { url: await options.addresses.linkOf(origin) };
    },
  };
}

async function filesOf(step: Step, publication: Publication, options: PublisherOptions): Promise<PublishedFile[]> {
  if (step.kind === 'proof') {
    publication.proven = await options.prove(step.outpoints, MOST_COVER_BYTES);
    return [{ path: `proof/${step.outpoints[0]?.slice(0, 64)}.html`, content: publication.proven.file }];
  }
  if (step.kind === 'token') return tokenFiles(step, publication, options);
  return step.kind === 'pages'
    ? somePages(step.from, publication, options.network)
    : indexFiles(publication, options.network);
}

async function tokenFiles(
  { outpoint, number }: Extract<Step, { kind: 'token' }>,
  publication: Publication,
  { pictures }: PublisherOptions,
): Promise<PublishedFile[]> {
  const { proven } = publication;
  const token = proven?.proven.tokens.find(({ origin }) => origin === outpoint);
  const place = proven?.places.get(outpoint);
  if (token === undefined || place === undefined) throw new PlanchetError('publish.gone');
  const stem = number ?? 'cover';
  const page = number === undefined ? null : pagePath(number);
  const { token: published, files } = await publishedToken({ token, place, stem, page, pictures });
  publication.tokens.set(outpoint, published);
  return files;
}

/** What is known of the folder once all tokens are. @throws PlanchetError where a part before was left out */
function folderOf(
  { name, base, items, tokens: byOutpoint }: Publication,
  network: Network,
): { folder: Folder; tokens: PublishedToken[] } {
  const found = (wanted: readonly MintedItem[]): PublishedToken[] =>
    wanted.map(({ outpoint }) => {
      const token = byOutpoint.get(outpoint);
      if (token === undefined) throw new PlanchetError('publish.gone');
      return token;
    });
  const collection = found(coverAmong(items))[0] ?? null;
  return {
    folder: { name: collection?.metadata.name || name, network, base, collection },
    tokens: found(numbered(items)),
  };
}

/** Pages link to the ones beside them and count traits, so they are written once all tokens are known. */
function somePages(from: number, publication: Publication, network: Network): PublishedFile[] {
  const { folder, tokens } = folderOf(publication, network);
  if (publication.counts === undefined) {
    publication.counts = new Map();
    for (const { metadata } of tokens) countTraitsIn(publication.counts, traitsOf(metadata));
  }
  const { counts } = publication;
  const beside = (at: number): string | null => tokens[at]?.page?.replace('token/', '') ?? null;
  return tokens.slice(from, from + PAGES_AT_ONCE).flatMap((token, place): PublishedFile[] => {
    const at = from + place;
    const traits = traitsOf(token.metadata).map(
      (trait) => [keyOf(trait), counts.get(trait.name)?.get(trait.value) ?? 0] as const,
    );
    const known: TraitCounts | null = folder.collection === null ? null : { total: tokens.length, traits };
    const path = token.page ?? '';
    return [
      { path, content: tokenPage(folder, token, { previous: beside(at - 1), next: beside(at + 1), counts: known }) },
      { path: path.replace('.html', '.json'), content: jsonText(tokenJson(folder, token)) },
    ];
  });
}

function indexFiles(publication: Publication, network: Network): PublishedFile[] {
  const { folder, tokens } = folderOf(publication, network);
  return [
    { path: '_metadata.json', content: jsonText(tokens.map((token) => tokenJson(folder, token))) },
    { path: 'collection.json', content: jsonText(collectionJson(folder, tokens.length)) },
    { path: 'feed.xml', content: feedXml(folder, tokens) },
    { path: 'page.js', content: FOLDER_SCRIPT },
    { path: 'style.css', content: PAGE_STYLE },
    { path: 'index.html', content: indexPage(folder, tokens) },
  ];
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The token of the collection, which is the cover and has no page of its own; none where there is nothing else. */
function coverAmong(items: readonly MintedItem[]): MintedItem[] {
  const covers = items.filter(({ isCollection }) => isCollection);
  return covers.length === 1 && items.length > 1 ? covers : [];
}

/** The items that have a page. */
function numbered(items: readonly MintedItem[]): MintedItem[] {
  const covers = coverAmong(items);
  return items.filter((item) => !covers.includes(item));
}

/** By outpoint, the numbers of the items that have a page, padded to one length so that the files sort in order: `0001`. */
function numbersOf(items: readonly MintedItem[]): Map<string, string> {
  const list = numbered(items);
  const digits = Math.max(4, String(list.length).length);
  return new Map(list.map(({ outpoint }, at) => [outpoint, String(at + 1).padStart(digits, '0')]));
}

const pagePath = (number: string): string => `token/${number}.html`;

/** By outpoint, the page of each token: that of the cover is the first one. */
function pagesOf(items: readonly MintedItem[]): Map<string, string> {
  const covers = coverAmong(items).map(({ outpoint }) => [outpoint, 'index.html'] as const);
  return new Map([
    ...covers,
    ...[...numbersOf(items)].map(([outpoint, number]) => [outpoint, pagePath(number)] as const),
  ]);
}

function keyOf({ name, value }: { name: string; value: string }): string {
  return `${name}\n${value}`;
}
