import { Button, CloseButton, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDatabase, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useSearch } from 'wouter';
import { type WriterState, writerStates } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { icon, smallIcon } from '../../../components/icon.ts';
import { useListState } from '../../../components/list/list-state.ts';
import { Empty } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { routes } from '../../../lib/routes.ts';
import classes from '../writer.module.css';
import { DocumentsTable } from './documents-table.tsx';
import { Pager, useCursors } from './pager.tsx';

const PAGE_SIZE = 50;

/** Every document, newest first, by tag and state. The state can come with the address, from the queue's tiles. */
export function Documents() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch()).get('state');
  const state = writerStates.names.find((one) => one === asked);
  const [typed, setTyped] = useListState('documents tag', '');
  const [tag] = useDebouncedValue(typed.trim(), 250);
  const [order, setOrder] = useListState<'desc' | 'asc'>('documents order', 'desc');
  const cursors = useCursors('documents');
  const query = useQuery(
    api.writer.documents.list.queryOptions({
      input: {
        limit: PAGE_SIZE,
        order,
        ...(tag === '' ? {} : { tag }),
        ...(state === undefined ? {} : { state }),
        ...(cursors.cursor === undefined ? {} : { cursor: cursors.cursor }),
      },
      placeholderData: keepPreviousData,
    }),
  );
  const filtered = tag !== '' || state !== undefined || cursors.page > 1;
  const choose = (next: WriterState | null): void => {
    cursors.reset();
    navigate(next === null ? routes.writerDocuments : routes.writerDocumentsIn(next), { replace: true });
  };
  return (
    <>
      <div className={classes.toolbar}>
        <Group gap="xs">
          <TextInput
            w={220}
            size="xs"
            aria-label={t('writer.list.filterTag')}
            placeholder={t('writer.list.filterTag')}
            leftSection={<IconSearch {...smallIcon} />}
            rightSection={
              typed === '' ? undefined : (
                <CloseButton
                  size="xs"
                  aria-label={t('common.clearFilter')}
                  onClick={() => {
                    cursors.reset();
                    setTyped('');
                  }}
                />
              )
            }
            maxLength={512}
            value={typed}
            onChange={(event) => {
              cursors.reset();
              setTyped(event.currentTarget.value);
            }}
          />
          <Select
            w={160}
            size="xs"
            aria-label={t('writer.list.filterState')}
            placeholder={t('writer.list.anyState')}
            clearable
            clearButtonProps={{ 'aria-label': t('common.clearFilter') }}
            data={writerStates.names.map((value) => ({ value, label: t(`writer.state.${value}`) }))}
            value={state ?? null}
            onChange={(value) => choose(writerStates.names.find((one) => one === value) ?? null)}
          />
        </Group>
        <Select
          w={140}
          size="xs"
          aria-label={t('writer.list.order')}
          allowDeselect={false}
          data={[
            { value: 'desc', label: t('writer.list.newest') },
            { value: 'asc', label: t('writer.list.oldest') },
          ]}
          value={order}
          onChange={(value) => {
            cursors.reset();
            setOrder(value === 'asc' ? 'asc' : 'desc');
          }}
        />
      </div>
      <QueryView
        query={query}
        isEmpty={(page) => page.documents.length === 0 && !filtered}
        empty={
          <Empty
            icon={<IconDatabase {...icon} size={24} />}
            title={t('writer.list.emptyTitle')}
            text={t('writer.list.emptyText')}
            action={
              <Button component={Link} href={routes.writerTry} variant="default">
                {t('writer.writeOne')}
              </Button>
            }
          />
        }
      >
        {(page) => (
          <>
            <DocumentsTable key={cursors.page} documents={page.documents} fetching={query.isPlaceholderData} />
            <Pager cursors={cursors} next={page.next} />
          </>
        )}
      </QueryView>
    </>
  );
}
