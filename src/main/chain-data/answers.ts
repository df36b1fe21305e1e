import { z } from 'zod';
import { isHashHex } from '../../chain/index.ts';

export const unknown = { basis: 'unknown' } as const;

/** Shown by hashes and the verified headers. */
export function proven<T>(value: T): { basis: 'proven'; value: T } {
  return { basis: 'proven', value };
}

/** The word of one who was asked. */
export function told<T>(value: T): { basis: 'told'; value: T } {
  return { basis: 'told', value };
}

/** Ids of transactions. Each is checked by hand, since there may be many. */
export const idsSchema = z.custom<string[]>((ids) => Array.isArray(ids) && ids.every(isHashHex));
