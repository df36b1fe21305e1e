import type { Network } from '../../../../contract/index.ts';
import { collectionOf } from '../claims.ts';
import type { PublishedToken } from './published-token.ts';

/**
 * Scripts, pictures and sounds come from the folder alone. Documents of others stand in frames without rights, under this policy, too: their
 * own styles are what they look like.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'";
const MOST_SUMMARY = 300;

/** What all pages of a folder share. */
export interface Folder {
  readonly name: string;
  readonly network: Network;
  /** Where it will stand, with a slash at its end; null where that is not known. */
  readonly base: string | null;
  readonly collection: PublishedToken | null;
}

/** How many tokens of the folder have the traits of one. */
export interface TraitCounts {
  readonly total: number;
  /** Name and value, joined by a line break, with their number. */
  readonly traits: readonly (readonly [string, number])[];
}

interface Neighbours {
  readonly previous: string | null;
  readonly next: string | null;
  readonly counts: TraitCounts | null;
}

/** The page of one token. It stands in a folder of its own below the root. */
export function tokenPage(folder: Folder, token: PublishedToken, neighbours: Neighbours): string {
  const { collection, network } = folder;
  const name = token.metadata.name || folder.name;
  return page(folder, {
    path: token.page ?? '',
    title: `${name} · ${folder.name}`,
    name,
    summary: descriptionOf(token) || (isPartOf(token, collection) ? descriptionOf(collection) : ''),
    picture: token.preview,
    root: '../',
    data: { root: '../', network, token, collection: isPartOf(token, collection) ? collection : null, ...neighbours },
    links: [],
  });
}

/** The first page: all tokens, with search, filters and sort. Their texts are on their own pages. */
export function indexPage(folder: Folder, tokens: readonly PublishedToken[]): string {
  const { name, network, collection } = folder;
  const listed = tokens.map(({ metadata: { description: _d, ...metadata }, words, large: _l, ...token }) => ({
    ...token,
    metadata,
    large: null,
    words: words === null ? null : words.slice(0, 600),
  }));
  return page(folder, {
    path: 'index.html',
    title: name,
    name,
    summary: descriptionOf(collection),
    picture: (collection ?? tokens[0])?.preview ?? null,
    root: '',
    data: { root: '', network, name, collection, tokens: listed },
    links: tokens.map(({ page: path, metadata }) => [path ?? '', metadata.name || (path ?? '')]),
  });
}

/** Empty where it is the name once more, as a token without a description is minted. */
function descriptionOf(token: PublishedToken | null): string {
  const { name, description = '' } = token?.metadata ?? {};
  return description === name ? '' : description;
}

/** Whether a token says that it belongs to the collection. */
function isPartOf({ metadata }: PublishedToken, collection: PublishedToken | null): boolean {
  const origin = collection?.outpoints[0];
  return origin !== undefined && collectionOf(metadata.subTypeData) === origin;
}

interface Page {
  readonly path: string;
  readonly title: string;
  readonly name: string;
  readonly summary: string;
  readonly picture: string | null;
  readonly root: string;
  readonly data: unknown;
  /** Links for readers without JavaScript. */
  readonly links: readonly (readonly [href: string, text: string])[];
}

function page({ base }: Folder, { path, title, name, summary, picture, root, data, links }: Page): string {
  const short = summary.length > MOST_SUMMARY ? `${summary.slice(0, MOST_SUMMARY)}…` : summary;
  const properties: (readonly [string, string] | false)[] = [
    ['og:type', 'website'],
    ['og:title', title],
    short !== '' && ['og:description', short],
    base !== null && ['og:url', base + path],
    base !== null && picture !== null && ['og:image', base + picture],
    base !== null && picture !== null && ['og:image:alt', name],
  ];
  const at = base === null ? '' : `<link rel="canonical" href="${escaped(base + path)}">\n`;
  const list = links.map(([href, text]) => `<li><a href="${escaped(href)}">${escaped(text)}</a></li>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(short)}">
${properties
  .filter((property) => property !== false)
  .map(([property, content]) => `<meta property="${property}" content="${escaped(content)}">`)
  .join('\n')}
<meta name="twitter:card" content="summary_large_image">
${at}<link rel="alternate" type="application/atom+xml" href="${root}feed.xml">
<link rel="stylesheet" href="${root}style.css">
</head>
<body>
<header id="top"><nav id="bar" aria-label="Tokens"></nav><span id="network"></span></header>
<main id="main"><h1>${escaped(name)}</h1><p>${escaped(short)}</p>${list === '' ? '' : `<ul>\n${list}\n</ul>`}</main>
<footer id="footer"></footer>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script src="${root}page.js"></script>
</body>
</html>
`;
}

const MARKS = /[&<>"']/g;
/** Characters that XML does not take, whatever stands around them. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Escapes foreign text for HTML and XML. */
export function escaped(text: string): string {
  return text.replace(FORBIDDEN, '').replace(MARKS, (mark) => `&#${mark.charCodeAt(0)};`);
}
