import { Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { missingFor } from '../../../../contract/networks/network-uses.ts';
import { api } from '../../../api/client.ts';
import { useNetwork } from '../../../api/live/live-store.ts';
import { smallIcon } from '../../../components/icon.ts';
import { usePreferences } from '../../../lib/preferences.ts';
import { routes } from '../../../lib/routes.ts';
import classes from './network-menu.module.css';

const networks = ['sandbox', 'private', 'test', 'main'] as const;

/** The network in use. Opens the list of all networks with what each still needs. */
export function NetworkMenu() {
  const { t } = useTranslation();
  const active = useNetwork();
  const use = usePreferences((state) => state.networkUse);
  const [opened, setOpened] = useState(false);
  const { data } = useQuery({ ...api.networks.list.queryOptions(), enabled: opened, staleTime: 0 });
  return (
    <Menu
      position="bottom-start"
      width={300}
      opened={opened}
      onChange={setOpened}
      withinPortal={false}
      floatingStrategy="fixed"
    >
      <Menu.Target>
        <UnstyledButton
          className={classes.badge}
          aria-label={t('app.network.label', { network: t(`common.network.${active}`) })}
          title={t(`common.networkHint.${active}`)}
        >
          {t(`common.network.${active}`)}
          <IconChevronDown size={13} stroke={1.8} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {networks.map((network) => {
          const lacks = data?.find((one) => one.network === network)?.missing;
          const missing = lacks && missingFor(use, lacks).length;
          const state =
            network === active
              ? t('app.network.inUse')
              : missing === undefined
                ? '…'
                : missing === 0
                  ? t('app.network.ready')
                  : t('app.network.missing', { count: missing });
          return (
            <Menu.Item
              key={network}
              component={Link}
              href={routes.network(network)}
              leftSection={<span className={classes.dot} style={{ background: `var(--pl-${network})` }} />}
              rightSection={network === active ? <IconCheck {...smallIcon} /> : undefined}
              aria-current={network === active}
            >
              {t(`common.network.${network}`)} <span className={classes.state}>{state}</span>
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
