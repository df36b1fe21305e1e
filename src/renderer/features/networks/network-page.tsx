import { SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { NetworkProfile } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { Badge } from '../../components/values/values.tsx';
import { routes } from '../../lib/routes.ts';
import { AddressForm } from './address-form.tsx';
import { ChainSources } from './chain-sources.tsx';
import { NeedList } from './need-list.tsx';
import { NetworkTest } from './network-test.tsx';
import { SwitchPanel } from './switch-panel.tsx';

/** One network: what it needs, its addresses, its test, and the change to it. */
export function NetworkPage({ network }: { network: string }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const query = useQuery({ ...api.networks.list.queryOptions(), staleTime: 0 });
  const profile = query.data?.find((one) => one.network === network);
  return (
    <Page
      title={t(`networks.title.${(profile?.network ?? 'sandbox') as NetworkProfile['network']}`)}
      purpose={t(`common.networkHint.${(profile?.network ?? 'sandbox') as NetworkProfile['network']}`)}
      aside={profile?.active ? <Badge tone="done">{t('networks.active')}</Badge> : undefined}
      actions={
        <SegmentedControl
          aria-label={t('networks.choose')}
          data={(query.data ?? []).map((one) => ({ value: one.network, label: t(`common.network.${one.network}`) }))}
          value={network}
          onChange={(chosen) => navigate(routes.network(chosen))}
        />
      }
    >
      <QueryView query={query}>
        {() =>
          profile === undefined ? null : (
            <Stack gap="md">
              {profile.network !== 'sandbox' && (
                <div className={layout.columns}>
                  <NeedList profile={profile} />
                  <AddressForm profile={profile} />
                </div>
              )}
              {profile.active && <ChainSources />}
              {(profile.active || profile.network !== 'sandbox') && <NetworkTest profile={profile} />}
              {!profile.active && <SwitchPanel profile={profile} />}
            </Stack>
          )
        }
      </QueryView>
    </Page>
  );
}
