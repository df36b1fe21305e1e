import { api } from '../../../api/client.ts';

/** A part of the transactions of a block. What stands in a block never changes, so it is asked for once. */
export function blockPart(input: { hash: string; search: string; from: number }) {
  return api.explorer.block.queryOptions({ input, staleTime: Number.POSITIVE_INFINITY });
}

/** Transactions of a block in figures. Their bytes never change; those that were not told are asked for again on the next visit. */
export function described(txids: string[]) {
  return api.explorer.described.queryOptions({ input: { txids }, staleTime: Number.POSITIVE_INFINITY, retry: false });
}
