import { ActionIcon, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSearch, IconSun } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useLive } from '../../../api/live/live-store.ts';
import { icon, smallIcon } from '../../../components/icon.ts';
import { Ago } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { openSearch } from '../../search/open-search.ts';
import { chooseTheme } from '../../theme-sync.tsx';
import { Logo } from '../logo.tsx';
import { ApprovalsButton } from './approvals-button.tsx';
import { MoneyMenu } from './money-menu.tsx';
import { NetworkMenu } from './network-menu.tsx';
import { RunningJobs } from './running-jobs.tsx';
import { ServiceMenu } from './service-menu.tsx';
import classes from './top-bar.module.css';
import { WalletLock } from './wallet-lock.tsx';

export const themes = [
  { theme: 'light', Icon: IconSun },
  { theme: 'dark', Icon: IconMoon },
  { theme: 'system', Icon: IconDeviceDesktop },
] as const;

function ThemeMenu() {
  const { t } = useTranslation();
  const chosen = useLive((state) => state.theme);
  const Current = themes.find((one) => one.theme === chosen)?.Icon ?? IconDeviceDesktop;
  return (
    <Menu position="bottom-end" width={224} withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={t('app.theme.label')}
          title={t('app.theme.label')}
        >
          <Current {...icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {themes.map(({ theme, Icon }) => (
          <Menu.Item
            key={theme}
            leftSection={<Icon {...smallIcon} />}
            rightSection={theme === chosen ? <IconCheck {...smallIcon} /> : undefined}
            aria-current={theme === chosen}
            onClick={() => chooseTheme(theme)}
          >
            {t(`app.theme.${theme}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function TipAge() {
  const { t, i18n } = useTranslation();
  const tip = useLive((state) => state.tip);
  if (tip === null) return <div className={classes.tip}>{t('app.tip.none')}</div>;
  return (
    <div className={classes.tip}>
      <Tooltip label={<span className="mono">{tip.hash}</span>}>
        <b className={classes.height}>{t('app.tip.height', { height: formatInteger(tip.height, i18n.language) })}</b>
      </Tooltip>
      <span className={classes.age}>
        <Ago at={tip.time} />
      </span>
    </div>
  );
}

/** Three columns of fixed shares, so that the search box does not move when the texts left and right of it change. */
export function TopBar() {
  const { t } = useTranslation();
  const known = useLive((state) => state.app !== null);
  const onMac = useLive((state) => state.app?.platform === 'darwin') || navigator.platform.startsWith('Mac');
  return (
    <section className={classes.top} aria-label={t('app.topBar')}>
      <div className={classes.left}>
        <Link href={routes.dashboard} className={classes.brand}>
          <Logo />
          {t('common.appName')}
        </Link>
        {known && <NetworkMenu />}
      </div>
      <UnstyledButton className={classes.search} onClick={openSearch} aria-haspopup="dialog">
        <IconSearch {...smallIcon} />
        <span className={classes.searchText}>{t('app.search')}</span>
        <span className={classes.key} aria-hidden>
          {t(onMac ? 'app.shortcutKeyMac' : 'app.shortcutKey')}
        </span>
      </UnstyledButton>
      <div className={classes.right}>
        {known && <ApprovalsButton />}
        {known && <RunningJobs />}
        {known && <TipAge />}
        {known && <ServiceMenu />}
        {known && <MoneyMenu />}
        <WalletLock />
        <ThemeMenu />
      </div>
    </section>
  );
}
