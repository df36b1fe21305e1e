import { Button } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import { Empty, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { routes } from '../../lib/routes.ts';
import { MempoolList } from './mempool-list.tsx';

/** A longer list is polled less often. */
const LONG = 1_000;

export function MempoolPage() {
  const { t } = useTranslation();
  const query = useQuery({
    ...api.explorer.mempool.queryOptions(),
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > LONG ? 30_000 : 2_000),
    staleTime: 0,
  });
  return (
    <Page
      wide
      title={t('explorer.mempool')}
      purpose={t('explorer.mempoolPurpose')}
      crumbs={[{ label: t('explorer.title'), to: routes.explorer }]}
    >
      <QueryView
        query={query}
        isEmpty={(list) => list.length === 0}
        empty={
          <Empty
            icon={<IconHourglass {...icon} size={24} />}
            title={t('explorer.mempoolEmptyTitle')}
            text={t('explorer.mempoolEmpty')}
            action={
              <Button component={Link} href={routes.explorer}>
                {t('explorer.toBlocks')}
              </Button>
            }
          />
        }
      >
        {(list) => <MempoolList waiting={list} />}
      </QueryView>
    </Page>
  );
}
