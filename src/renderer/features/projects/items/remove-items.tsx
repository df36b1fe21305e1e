import type { QueryClient } from '@tanstack/react-query';
import type { Item } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { offerProjectUndo } from '../../../components/toasts/project-undo.ts';
import { showFailure } from '../../../components/toasts/show-failure.ts';
import { i18n } from '../../../i18n/index.ts';

/** Moves drafts into the bin at once and offers to put them back; where one cannot be removed, all stay. */
export async function removeDrafts(queries: QueryClient, items: readonly Item[]): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  const { projectUid } = first;
  const ids = items.map(({ id }) => id);
  try {
    await client.items.remove({ ids });
  } catch (error) {
    return showFailure('item-removal', error);
  }
  const gone = new Set(ids);
  queries.setQueryData<Item[]>(api.items.list.queryKey({ input: { projectUid } }), (list) =>
    list?.filter(({ id }) => !gone.has(id)),
  );
  offerProjectUndo(
    queries,
    projectUid,
    i18n.t('projects.remove.done', { count: ids.length, name: first.metadata.name }),
  );
}
