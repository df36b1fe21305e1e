import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { QueryClient } from '@tanstack/react-query';
import type { Item } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { showToast } from '../../../components/toasts/toast-store.ts';
import { i18n } from '../../../i18n/index.ts';

/** Says what will be lost, then removes the drafts; what could not be removed stays and is named. */
export function confirmRemove(queries: QueryClient, items: readonly Item[], onDone: () => void): void {
  const count = items.length;
  modals.openConfirmModal({
    title: i18n.t('projects.remove.title'),
    closeButtonProps: { 'aria-label': i18n.t('common.close') },
    children: <Text>{i18n.t('projects.remove.text', { count })}</Text>,
    labels: { confirm: i18n.t('projects.remove.confirm', { count }), cancel: i18n.t('common.cancel') },
    confirmProps: { color: 'red.9' },
    onConfirm: () => {
      void Promise.allSettled(
        items.map(async (item) => {
          await client.items.remove({ id: item.id });
          queries.setQueryData<Item[]>(api.items.list.queryKey({ input: { projectUid: item.projectUid } }), (list) =>
            list?.filter((one) => one.id !== item.id),
          );
        }),
      ).then((results) => {
        const refused = results.find((result) => result.status === 'rejected');
        if (refused !== undefined) {
          const failure = failureOf(refused.reason);
          showToast({ id: 'item-removal', tone: 'fail', title: failure.message, text: failure.hint ?? failure.code });
        }
        onDone();
      });
    },
  });
}
