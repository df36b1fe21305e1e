import { Button } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { z } from 'zod';
import { routes } from '../../app/routes.ts';
import { icon } from '../../components/icon.ts';
import { Empty, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { ask } from './node.ts';
import { TxList } from './tx-list.tsx';

const txids = z.array(z.string());

/** What waits for a block. */
export function MempoolPage() {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ['explorer', 'mempool'],
    queryFn: () => ask(txids, 'getrawmempool', false),
    refetchInterval: 2_000,
    staleTime: 0,
  });
  return (
    <Page
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
        {(list) => <TxList txids={list} title={t('explorer.mempoolCount', { count: list.length })} inBlock={false} />}
      </QueryView>
    </Page>
  );
}
