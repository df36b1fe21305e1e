import { Button, Stack } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useLive } from '../../api/live-store.ts';
import { routes } from '../../app/routes.ts';
import { icon } from '../../components/icon.ts';
import { Page } from '../../components/page.tsx';
import { SkeletonRows } from '../../components/query-view.tsx';
import { BlockList } from './block-list.tsx';
import { Search } from './search.tsx';

/** The chain as the node has it. */
export function Explorer() {
  const { t } = useTranslation();
  const tip = useLive((state) => state.tip);
  return (
    <Page
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
        {tip === null ? <SkeletonRows rows={10} height={32} /> : <BlockList tip={tip} />}
      </Stack>
    </Page>
  );
}
