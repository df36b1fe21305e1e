import { SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { type NetworkProfile, type NetworkUse, networkUses } from '../../../contract/index.ts';
import { api, inDesktop } from '../../api/client.ts';
import { FoldButton } from '../../components/fold-button.tsx';
import { Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { Badge } from '../../components/values/values.tsx';
import { usePreferences } from '../../lib/preferences.ts';
import { routes } from '../../lib/routes.ts';
import { AddressForm } from './address-form.tsx';
import { ChainSources } from './chain-sources.tsx';
import { GoingLiveSteps } from './going-live/going-live.tsx';
import { NetworkTest } from './network-test.tsx';
import { SwitchPanel } from './switch-panel.tsx';
import './texts.ts';

/** One network: the steps to a minted token on it, or to a node endpoint, and the person's own settings for it. */
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
          profile === undefined ? null : profile.network === 'sandbox' ? (
            <Sandbox profile={profile} />
          ) : (
            <RealNetwork profile={profile} />
          )
        }
      </QueryView>
    </Page>
  );
}

function Sandbox({ profile }: { profile: NetworkProfile }) {
  return (
    <Stack gap="md">
      {profile.active && <ChainSources network={profile.network} />}
      {profile.active ? <NetworkTest profile={profile} /> : <SwitchPanel profile={profile} use="mint" />}
    </Stack>
  );
}

const uses = Object.keys(networkUses) as NetworkUse[];

/** The required settings depend on the use: a program that asks a node needs no wallet, and a mint needs no node. */
function RealNetwork({ profile }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  const use = usePreferences((state) => state.networkUse);
  const setUse = usePreferences((state) => state.setNetworkUse);
  return (
    <Stack gap="md">
      <div className={layout.spread}>
        <SegmentedControl
          aria-label={t('goingLive.use.label')}
          data={uses.map((value) => ({ value, label: t(`goingLive.use.${value}`) }))}
          value={use}
          onChange={(value) => setUse(value as NetworkUse)}
        />
        <a
          className="link"
          href="/docs/guide/going-live.html"
          {...(!inDesktop && { target: '_blank', rel: 'noreferrer' })}
        >
          {t('goingLive.guide')}
        </a>
      </div>
      {use === 'mint' ? <ForMints profile={profile} /> : <ForPrograms profile={profile} />}
    </Stack>
  );
}

function ForMints({ profile }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  // The key of a configured token service is entered there.
  const [ownOpen, setOwnOpen] = useState(profile.missing.includes('apiKey'));
  return (
    <>
      <GoingLiveSteps profile={profile} />
      <div>
        <FoldButton open={ownOpen} label={t('goingLive.own')} onClick={() => setOwnOpen(!ownOpen)} />
        <span className={layout.dim}> {t('goingLive.ownHint')}</span>
      </div>
      {ownOpen && <Own profile={profile} />}
    </>
  );
}

function ForPrograms({ profile }: { profile: NetworkProfile }) {
  return (
    <>
      <Own profile={profile} />
      {!profile.active && <SwitchPanel profile={profile} use="gateway" />}
    </>
  );
}

/** The person's own node, token service or miner. */
function Own({ profile }: { profile: NetworkProfile }) {
  return (
    <div className={layout.columns}>
      <AddressForm profile={profile} />
      <NetworkTest profile={profile} />
    </div>
  );
}
