import type { Item, RunPlan } from '../../../contract/index.ts';
import { COPY_BYTES, mayShrink } from './smaller-copy.ts';

/** A share of the fee below which nothing is advised. */
const WORTH_SAYING = 0.1;

export interface Advice {
  /** Drafts whose files may have smaller copies. */
  readonly photos: readonly Item[];
  /** Bytes of those files, and of all that is paid for. */
  readonly bytes: number;
  readonly size: number;
  /** Satoshis that copies save at the rate of the plan, at least. */
  readonly saves: number;
}

/**
 * What large photos cost of a plan, at its rate.
 * @param items drafts of the plan
 * @param kept files of which no copy can be made
 * @returns undefined where copies would not save enough to say so
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

/** The name of a copy: that of its file with the ending of its type. */
export function copyName(fileName: string, type: string): string {
  return `${fileName.replace(/\.[^.]{1,8}$/, '')}.${type === 'image/webp' ? 'webp' : 'jpg'}`;
}
