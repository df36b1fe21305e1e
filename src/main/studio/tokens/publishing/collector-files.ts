import { readSubTypeData } from '../../projects/minted-metadata.ts';
import { royaltiesOf, traitsOf } from '../claims.ts';
import { escaped, type Folder } from './pages.ts';
import type { PublishedToken } from './published-token.ts';

/**
 * A token as collectors' tools read it, in the form that marketplaces and art engines share: name, description, image, attributes. Addresses
 * are whole where the folder's is known, else file names, as art engines write them.
 */
export function tokenJson({ base, network, name: collection }: Folder, token: PublishedToken): Record<string, unknown> {
  const { metadata, file, preview, page, outpoints, block, contentType, sha256, proof } = token;
  const claims = readSubTypeData(metadata.subTypeData);
  const at = (path: string): string => (base === null ? (path.split('/').at(-1) ?? path) : base + path);
  const isPicture = contentType.startsWith('image/');
  const image = isPicture ? (file ?? preview) : preview;
  return {
    name: metadata.name ?? '',
    description: metadata.description ?? '',
    ...(image !== null && { image: at(image) }),
    ...(!isPicture && file !== null && { animation_url: at(file) }),
    ...(base !== null && page !== null && { external_url: base + page }),
    ...(typeof claims.mintNumber === 'number' && { edition: claims.mintNumber }),
    attributes: traitsOf(metadata).map(({ name, value }) => ({ trait_type: name, value })),
    ...(metadata.royalties !== undefined && { seller_fee_basis_points: basisPoints(metadata.royalties) }),
    properties: {
      collection,
      network,
      outpoint: outpoints.at(-1),
      origin: outpoints[0],
      contentType,
      sha256,
      blockHeight: block.height,
      blockHash: block.hash,
      proof: base === null ? proof : base + proof,
      ...(typeof claims.rank === 'number' && { rank: claims.rank }),
      ...(typeof claims.rarityLabel === 'string' && { rarity: claims.rarityLabel }),
    },
  };
}

/** The collection as marketplaces read it. */
export function collectionJson({ base, name, collection }: Folder, tokens: number): Record<string, unknown> {
  const picture = collection?.preview ?? null;
  return {
    name,
    description: collection?.metadata.description ?? '',
    ...(picture !== null && { image: base === null ? picture : base + picture }),
    ...(base !== null && { external_link: base }),
    ...(collection?.metadata.royalties !== undefined && {
      seller_fee_basis_points: basisPoints(collection.metadata.royalties),
    }),
    total: tokens,
    ...(collection !== null && { collectionId: collection.outpoints[0] }),
  };
}

/** The newest tokens, which a reader of feeds follows. @see https://www.rfc-editor.org/rfc/rfc4287 */
export function feedXml({ base, name }: Folder, tokens: readonly PublishedToken[]): string {
  const newest = tokens.toSorted((a, b) => b.block.time - a.block.time).slice(0, MOST_ENTRIES);
  const time = (at: number): string => new Date(at).toISOString();
  const entries = newest.map(
    ({ metadata, page, outpoints, block, preview }) => `<entry>
<id>urn:bsv:token:${outpoints[0]}</id>
<title>${escaped(metadata.name ?? '')}</title>
<updated>${time(block.time)}</updated>
<link href="${escaped((base ?? '') + (page ?? ''))}"/>${
      preview === null ? '' : `\n<link rel="enclosure" type="image/webp" href="${escaped((base ?? '') + preview)}"/>`
    }
<summary>${escaped((metadata.description ?? '').slice(0, MOST_SUMMARY))}</summary>
</entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${base === null ? `urn:bsv:token:${tokens[0]?.outpoints[0] ?? ''}:feed` : escaped(base)}</id>
<title>${escaped(name)}</title>
<updated>${time(newest[0]?.block.time ?? 0)}</updated>
<author><name>${escaped(name)}</name></author>
<link href="${escaped(base === null ? 'index.html' : base)}"/>
${entries.join('\n')}
</feed>
`;
}

const MOST_ENTRIES = 50;
const MOST_SUMMARY = 500;

/** All shares together, in hundredths of a per cent; 0 where they cannot be read. */
function basisPoints(royalties: string): number {
  const shares = royaltiesOf(royalties).reduce((sum, { percentage }) => sum + percentage, 0);
  return Math.round(shares * 10_000);
}
