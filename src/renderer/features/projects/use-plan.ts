import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Item } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { isDraft } from '../../lib/items/item-rules.ts';

const versions = new WeakMap<readonly Item[], number>();
let lastVersion = 0;

/** A number that differs after each change of the items. Query keys of costs need it, since the request names only ids. */
export function versionOf(items: readonly Item[]): number {
  const known = versions.get(items);
  if (known !== undefined) return known;
  lastVersion += 1;
  versions.set(items, lastVersion);
  return lastVersion;
}

/**
 * The plan of minting all drafts of a project. It follows the drafts and the money that is left to spend.
 * @param items those of the project, the same list while they are the same
 */
export function usePlan(projectUid: string, items: readonly Item[], enabled = true) {
  const destination = useLive((state) => state.wallet?.address ?? null);
  const spendable = useLive((state) => state.wallet?.balance.spendable ?? 0);
  const options = api.runs.plan.queryOptions({
    input: { projectUid, destination: destination ?? '' },
    enabled: enabled && destination !== null && items.some(isDraft),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const queryKey = [...options.queryKey, versionOf(items), spendable] as unknown as typeof options.queryKey;
  return useQuery({ ...options, queryKey });
}
