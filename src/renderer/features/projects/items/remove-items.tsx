import type { QueryClient } from '@tanstack/react-query';
import type { Item } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { showToast } from '../../../components/toasts/toast-store.ts';
import { offerUndo } from '../../../components/toasts/undo.ts';
import { i18n } from '../../../i18n/index.ts';

/** Removes drafts at once and offers to put them back; what could not be removed stays and is named. */
export async function removeDrafts(queries: QueryClient, items: readonly Item[]): Promise<void> {
  const results = await Promise.allSettled(
    items.map(async (item) => {
      await client.items.remove({ id: item.id });
      queries.setQueryData<Item[]>(api.items.list.queryKey({ input: { projectUid: item.projectUid } }), (list) =>
        list?.filter((one) => one.id !== item.id),
      );
      return item;
    }),
  );
  const removed = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = removed;
  if (first !== undefined) {
    const count = removed.length;
    offerUndo({
      id: `removed-${first.id}`,
      title: i18n.t('projects.remove.done', { count, name: first.metadata.name }),
      undo: async () => {
        await client.items.restore({ ids: removed.map(({ id }) => id) });
        await queries.invalidateQueries({ queryKey: api.items.list.key({ input: { projectUid: first.projectUid } }) });
      },
    });
  }
  const refused = results.find((result) => result.status === 'rejected');
  if (refused === undefined) return;
  const failure = failureOf(refused.reason);
  showToast({ id: 'item-removal', tone: 'fail', title: failure.message, text: failure.hint ?? failure.code });
}
