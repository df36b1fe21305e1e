import { Button, Stack } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { Page } from '../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../components/query-view.tsx';
import { routes } from '../../lib/routes.ts';
import { BlockList } from './blocks/block-list.tsx';
import { Search } from './search.tsx';

export function Explorer() {
  const { t } = useTranslation();
  const tip = useLive((state) => state.tip);
  return (
    <Page
      wide
      title={t('explorer.title')}
      purpose={t('explorer.purpose')}
      actions={
        <Button variant="default" component={Link} href={routes.mempool} leftSection={<IconHourglass {...icon} />}>
          {t('explorer.mempool')}
        </Button>
      }
    >
      <Stack gap="md">
        <Search />
        {tip === null ? <NoTip /> : <BlockList tip={tip} />}
      </Stack>
    </Page>
  );
}

/** Says why there is no block, where the node cannot be asked for one. */
function NoTip() {
  const query = useQuery({
    ...api.explorer.height.queryOptions(),
    refetchInterval: 3_000,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const rows = <SkeletonRows rows={10} height={32} />;
  return (
    <QueryView query={query} skeleton={rows}>
      {() => rows}
    </QueryView>
  );
}
