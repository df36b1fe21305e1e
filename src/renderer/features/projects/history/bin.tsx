import { Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MAX_ITEMS_TOGETHER } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { icon } from '../../../components/icon.ts';
import { Empty } from '../../../components/page.tsx';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { Ago } from '../../../components/values/values.tsx';
import { i18n } from '../../../i18n/index.ts';
import projectClasses from '../projects.module.css';
import classes from './bin.module.css';

const MODAL = 'project-bin';

/** The removed drafts of a project: put back one or all, or forget them for good. */
export function ProjectBin({ projectUid }: { projectUid: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const query = useQuery({ ...api.items.history.bin.queryOptions({ input: { projectUid } }), staleTime: 0 });
  const onSuccess = () => queries.invalidateQueries({ queryKey: api.items.key() });
  const restore = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (let at = 0; at < ids.length; at += MAX_ITEMS_TOGETHER)
        await client.items.restore({ ids: ids.slice(at, at + MAX_ITEMS_TOGETHER) });
    },
    onSuccess,
  });
  const empty = useMutation({
    mutationFn: () => client.items.history.emptyBin({ projectUid }),
    onSuccess: () => {
      setAsking(false);
      return onSuccess();
    },
  });
  const failed = restore.error ?? empty.error;
  return (
    <Stack gap="md">
      {failed !== null && <FailureNote failure={failureOf(failed)} />}
      <QueryView query={query}>
        {(removed) =>
          removed.length === 0 ? (
            <Empty
              icon={<IconTrash {...icon} size={24} />}
              title={t('projects.bin.emptyTitle')}
              text={t('projects.bin.emptyText')}
            />
          ) : (
            <>
              <Text size="sm" c="dimmed">
                {t('projects.bin.hint')}
              </Text>
              <ul className={classes.list}>
                {removed.map(({ item, removedAt }) => (
                  <li key={item.id} className={classes.row}>
                    <div className={projectClasses.mini}>
                      <Thumbnail file={item.file} small />
                    </div>
                    <span className={classes.name}>{item.metadata.name}</span>
                    <span className={classes.when}>
                      <Ago at={removedAt} />
                    </span>
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={t('projects.bin.putBackItem', { name: item.metadata.name })}
                      disabled={restore.isPending}
                      onClick={() => restore.mutate([item.id])}
                    >
                      {t('projects.bin.putBack')}
                    </Button>
                  </li>
                ))}
              </ul>
              {isAsking && (
                <Text size="sm" role="alert">
                  {t('projects.bin.emptyWarning', { count: removed.length })}
                </Text>
              )}
              <Group justify="flex-end" gap="xs">
                {isAsking ? (
                  <>
                    <Button variant="default" data-autofocus onClick={() => setAsking(false)}>
                      {t('common.cancel')}
                    </Button>
                    <Button color="red" loading={empty.isPending} onClick={() => empty.mutate()}>
                      {t('projects.bin.empty')}
                    </Button>
                  </>
                ) : (
                  <>
                    <Button variant="subtle" color="red" onClick={() => setAsking(true)}>
                      {t('projects.bin.emptyOpen')}
                    </Button>
                    <Button
                      loading={restore.isPending}
                      onClick={() => restore.mutate(removed.map(({ item }) => item.id))}
                    >
                      {t('projects.bin.putBackAll', { count: removed.length })}
                    </Button>
                  </>
                )}
              </Group>
            </>
          )
        }
      </QueryView>
    </Stack>
  );
}

export function openBin({ uid, name }: { uid: string; name: string }): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('projects.bin.title', { name }),
    size: 560,
    children: <ProjectBin projectUid={uid} />,
  });
}
