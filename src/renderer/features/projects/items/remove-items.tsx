import type { QueryClient } from '@tanstack/react-query';
import { type Item, MAX_ITEMS_TOGETHER } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { showToast } from '../../../components/toasts/toast-store.ts';
import { offerUndo } from '../../../components/toasts/undo.ts';
import { i18n } from '../../../i18n/index.ts';

/** Requests at a time: a browser fails thousands that are begun together. */
const TOGETHER = 50;

async function removeOne(queries: QueryClient, item: Item): Promise<Item> {
  await client.items.remove({ id: item.id });
  queries.setQueryData<Item[]>(api.items.list.queryKey({ input: { projectUid: item.projectUid } }), (list) =>
    list?.filter((one) => one.id !== item.id),
  );
  return item;
}

/** Removes drafts at once and offers to put them back; what could not be removed stays and is named. */
export async function removeDrafts(queries: QueryClient, items: readonly Item[]): Promise<void> {
  const results: PromiseSettledResult<Item>[] = [];
  for (let at = 0; at < items.length; at += TOGETHER) {
    const some = items.slice(at, at + TOGETHER).map((item) => removeOne(queries, item));
    results.push(...(await Promise.allSettled(some)));
  }
  const removed = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = removed;
  if (first !== undefined) {
    const count = removed.length;
    offerUndo({
      id: `removed-${first.id}`,
      title: i18n.t('projects.remove.done', { count, name: first.metadata.name }),
      undo: async () => {
        const ids = removed.map(({ id }) => id);
        for (let at = 0; at < ids.length; at += MAX_ITEMS_TOGETHER)
          await client.items.restore({ ids: ids.slice(at, at + MAX_ITEMS_TOGETHER) });
        await queries.invalidateQueries({ queryKey: api.items.list.key({ input: { projectUid: first.projectUid } }) });
      },
    });
  }
  const refused = results.find((result) => result.status === 'rejected');
  if (refused === undefined) return;
  const failure = failureOf(refused.reason);
  showToast({ id: 'item-removal', tone: 'fail', title: failure.message, text: failure.hint ?? failure.code });
}
