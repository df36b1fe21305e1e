import type { Item, RunPlan } from '../../../contract/index.ts';
import { COPY_BYTES, mayShrink } from './smaller-copy.ts';

/** Minimum saving as a share of the fee. */
const WORTH_SAYING = 0.1;

export interface Advice {
  /** Drafts whose files may have smaller copies. */
  readonly photos: readonly Item[];
  /** Bytes of those files, and of everything that is paid for. */
  readonly bytes: number;
  readonly size: number;
  /** Minimum saving in satoshis at the rate of the plan. */
  readonly saves: number;
}

/**
 * The cost of large photos in a plan, at its rate.
 * @param items drafts of the plan
 * @param kept files that cannot be made smaller
 * @returns undefined if the saving would be too small
 */
export function adviceFor(
  items: readonly Item[],
  { size, rate }: Pick<RunPlan, 'size' | 'rate'>,
  kept: ReadonlySet<string>,
): Advice | undefined {
  const photos = items.filter(
    ({ file, original }) => original === undefined && mayShrink(file) && !kept.has(file.sha256),
  );
  const bytes = photos.reduce((sum, { file }) => sum + file.bytes, 0);
  const saved = bytes - photos.length * COPY_BYTES;
  if (photos.length === 0 || saved < size * WORTH_SAYING) return undefined;
  return { photos, bytes, size, saves: Math.floor((saved * rate.satoshis) / rate.bytes) };
}

/** File name of a copy, with the extension of its type. */
export function copyName(fileName: string, type: string): string {
  return `${fileName.replace(/\.[^.]{1,8}$/, '')}.${type === 'image/webp' ? 'webp' : 'jpg'}`;
}
