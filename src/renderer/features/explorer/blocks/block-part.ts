import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { NodeRefusal } from '../../../api/node.ts';

/** A part of the transactions of a block. What stands in a block never changes, so it is asked for once. */
export function blockPart(wanted: { hash: string; search: string; from: number }) {
  return queryOptions({
    queryKey: ['explorer', 'block', wanted.hash, 'transactions', wanted.search, wanted.from],
    queryFn: ({ signal }) => readBlock(wanted, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** @throws NodeRefusal where the node answers with an error */
export async function readBlock(wanted: { hash: string; search?: string; from?: number }, signal: AbortSignal) {
  const { result, error } = await client.node.block(wanted, { signal });
  if (result === null) throw new NodeRefusal(error?.code ?? 0, error?.message ?? '');
  return result;
}
