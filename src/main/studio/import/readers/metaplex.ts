import { baseName } from '../model.ts';
import { type Json, type JsonObject, textOf } from './json.ts';

export function isMetaplex(token: JsonObject): boolean {
  return token.has('seller_fee_basis_points') || (token.has('symbol') && token.has('properties'));
}

/** `collection.json` is the collection itself, not one of its tokens. */
export function isCollectionFile(path: string): boolean {
  return baseName(path).toLowerCase() === 'collection.json';
}

interface Creator {
  readonly address: string;
  /** Per cent of the royalty. */
  readonly share: number;
}

/** `properties.creators[{address, share}]`; what is not of that form is left out. */
export function creatorsOf(creators: Json | undefined): Creator[] {
  if (!Array.isArray(creators)) return [];
  return creators.flatMap((one): Creator[] => {
    if (!(one instanceof Map)) return [];
    const address = textOf(one.get('address')).trim();
    const share = Number(textOf(one.get('share')));
    return address === '' || !(share >= 0 && share <= 100) ? [] : [{ address, share }];
  });
}

/** Basis points of a cell: `500`, or per cent as people write them in tables: `5 %`, `2,5%`. Not a number where it is neither. */
export function basisPointsOf(text: string): number {
  const percent = /^([\d.,]+)\s*%$/.exec(text.trim())?.[1];
  return percent === undefined ? Number(text) : Math.round(Number(percent.replace(',', '.')) * 100);
}

/**
 * Royalties of a Metaplex token: `seller_fee_basis_points` split among the creators.
 * @param basisPoints hundredths of a per cent: 500 is 5 %
 * @returns shares of the price as decimals: `0.05`
 */
export function splitRoyalties(
  basisPoints: number,
  creators: readonly Creator[],
): { address: string; percentage: string }[] {
  if (!Number.isInteger(basisPoints) || basisPoints <= 0 || basisPoints > 10_000) return [];
  const shared = creators.filter(({ share }) => share > 0);
  if (shared.length === 0) return [{ address: '', percentage: decimal(basisPoints / 10_000) }];
  const whole = shared.reduce((sum, { share }) => sum + share, 0);
  return shared.map(({ address, share }) => ({
    address,
    percentage: decimal((basisPoints / 10_000) * (share / whole)),
  }));
}

/** At most six decimals, without zeros at the end. */
function decimal(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '');
}
