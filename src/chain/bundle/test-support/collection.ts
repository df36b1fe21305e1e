import { merkleBranch } from '../../block/merkle.ts';
import { sha256, toHex } from '../../encoding/bytes.ts';
import { inscriptionScript } from '../../inscription/inscription.ts';
import { satoshis } from '../../transaction/amount.ts';
import { txidOf } from '../../transaction/transaction.ts';
import type { BundleBlock, BundleToken, BundleTransaction, ProofBundle } from '../format.ts';
import { mineBlock, type SampleContent, spend } from './sample.ts';

const pubKeyHash = new Uint8Array(20).fill(7);

/** A bundle of these contents, each list in a transaction and a block of its own, one block after the other. */
export function bundleOf(...transactions: readonly (readonly SampleContent[])[]): ProofBundle {
  const blocks: BundleBlock[] = [];
  const proven: BundleTransaction[] = [];
  const tokens: BundleToken[] = [];
  for (const [place, contents] of transactions.entries()) {
    const raw = mintOf(contents);
    const others = ['22', '33', '44'].map((byte) => spend(byte.repeat(32), place + 1, []));
    const { txids, ...block } = mineBlock(900 + place, blocks.at(-1)?.hash ?? '55'.repeat(32), [...others, raw]);
    blocks.push(block);
    proven.push({ raw, block: place, index: 4, nodes: merkleBranch(txids, 4) });
    for (const [vout, { content, contentType, map }] of contents.entries()) {
      const outpoints = [`${txidOf(raw)}_${vout}`];
      tokens.push({ outpoints, contentType, sha256: toHex(sha256(content)), metadata: map });
    }
  }
  return { network: 'sandbox', blocks, transactions: proven, tokens };
}

function mintOf(contents: readonly SampleContent[]): Uint8Array {
  const outputs = contents.map((each) => ({
    satoshis: satoshis(1),
    script: inscriptionScript({ ...each, pubKeyHash }),
  }));
  return spend('11'.repeat(32), 0, outputs);
}

const HATS = ['Crown', 'Beret', 'Top hat', 'None'];
const SKIES = ['Dawn', 'Noon', 'Dusk', 'Night', 'Storm'];

/** A round thing over hills: a drawing that differs from token to token. */
export function drawing(n: number, wide = false): Uint8Array {
  const hue = (n * 47) % 360;
  const [width, height] = wide ? [1600, 500] : [800, 800];
  const hill = (y: number, light: number) =>
    `<path d="M0 ${height * y}Q${width * 0.3} ${height * (y - 0.14)} ${width * 0.55} ${height * y}T${width} ${height * (y - 0.05)}V${height}H0z" fill="hsl(${hue} 38% ${light}%)"/>`;
  return new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="hsl(${(hue + 200) % 360} 55% 22%)"/><stop offset="1" stop-color="hsl(${(hue + 20) % 360} 75% 68%)"/></linearGradient></defs><rect width="${width}" height="${height}" fill="url(#s)"/><circle cx="${width * (0.25 + (n % 7) / 14)}" cy="${height * 0.36}" r="${70 + (n % 5) * 14}" fill="hsl(${(hue + 40) % 360} 90% 84%)"/>${hill(0.62, 42)}${hill(0.76, 30)}${hill(0.9, 18)}</svg>`,
  );
}

/** The collection's own token: cover, artist, royalties, how many. */
export function sampleCollectionToken(quantity: number): SampleContent {
  return {
    contentType: 'image/svg+xml',
    content: drawing(3, true),
    map: {
      app: 'Planchet',
      type: 'ord',
      name: 'First light',
      subType: 'collection',
      description: 'Hills at the edge of the day, drawn by a small program that its author carried on long walks.',
      subTypeData: JSON.stringify({ description: 'Hills', quantity: String(quantity) }),
      artist: 'Mira Anders',
      royalties: JSON.stringify([{ type: 'paymail', destination: 'mira@example.com', percentage: '0.05' }]),
    },
  };
}

/** An item of the collection whose token is `collectionId`. @param n from 1 */
export function sampleItem(n: number, collectionId: string, quantity: number): SampleContent {
  const traits = [
    { name: 'Sky', value: SKIES[n % 5] ?? '', occurrencePercent: '20' },
    { name: 'Hat', value: HATS[n % 4] ?? '', occurrencePercent: '25' },
    { name: 'Hills', value: String((n % 3) + 1), occurrencePercent: '33.33' },
  ];
  return {
    contentType: 'image/svg+xml',
    content: drawing(n),
    map: {
      app: 'Planchet',
      type: 'ord',
      name: `First light ${n}`,
      subType: 'collectionItem',
      description: `The hill above the village, on walk ${n}. It was cold, and the light came late.`,
      subTypeData: JSON.stringify({
        collectionId,
        description: '',
        mintNumber: n,
        rank: ((n * 7) % quantity) + 1,
        rarityLabel: n % 4 === 0 ? 'Rare' : 'Common',
        traits,
      }),
    },
  };
}

/** A collection with items, its own token first. @param items of `quantity` that the file holds */
export function sampleCollection(items: number, quantity = items): ProofBundle {
  const cover = [sampleCollectionToken(quantity)];
  const collectionId = `${txidOf(mintOf(cover))}_0`;
  return bundleOf(
    cover,
    Array.from({ length: items }, (_, place) => sampleItem(place + 1, collectionId, quantity)),
  );
}
