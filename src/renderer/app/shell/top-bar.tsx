import { ActionIcon, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import {
  IconCheck,
  IconDeviceDesktop,
  IconHourglass,
  IconLoader,
  IconMoon,
  IconSearch,
  IconSun,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useLive, useNetwork } from '../../api/live/live-store.ts';
import { useRuns } from '../../api/run-list.ts';
import { icon, smallIcon } from '../../components/icon.ts';
import { Ago } from '../../components/values.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { chooseTheme } from '../theme-sync.tsx';
import { Logo } from './logo.tsx';
import { ServiceDots } from './service-dots.tsx';
import classes from './top-bar.module.css';

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
    <Menu position="bottom-end" width={200}>
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

/** Jobs at work, or the ones that wait for the person, which matter more. */
function RunningJobs() {
  const { t } = useTranslation();
  const jobs = useLive((state) => state.jobs);
  const runs = useRuns();
  const linked = (job: { id: string }): string => routes.job(job.id);
  const waiting = [
    ...jobs.filter((job) => job.awaitingApproval).map(linked),
    ...runs.filter((run) => run.canApprove).map((run) => routes.run(run.id)),
  ];
  const running = [
    ...jobs.filter((job) => job.active && !job.awaitingApproval).map(linked),
    ...runs.filter((run) => run.state === 'minting').map((run) => routes.run(run.id)),
  ];
  const visible = waiting.length > 0 ? waiting : running;
  const first = visible[0];
  if (first === undefined) return null;
  const label =
    waiting.length > 0
      ? t('app.running.waiting', { count: waiting.length })
      : t('app.running.label', { count: running.length });
  const Shown = waiting.length > 0 ? IconHourglass : IconLoader;
  return (
    <Tooltip label={label}>
      <Link
        href={visible.length === 1 ? first : routes.jobs}
        className={classes.running}
        data-waiting={waiting.length > 0 || undefined}
        aria-label={label}
      >
        <Shown {...smallIcon} />
        <span className="num">{visible.length}</span>
      </Link>
    </Tooltip>
  );
}

function TipAge() {
  const { t, i18n } = useTranslation();
  const tip = useLive((state) => state.tip);
  if (tip === null) return <div className={classes.tip}>{t('app.tip.none')}</div>;
  return (
    <div className={classes.tip}>
      <Tooltip label={<span className="mono">{tip.hash}</span>}>
        <b className="num" style={{ fontWeight: 550 }}>
          {t('app.tip.height', { height: formatInteger(tip.height, i18n.language) })}
        </b>
      </Tooltip>
      <span className={classes.tipAge}>
        <Ago at={tip.time} />
      </span>
    </div>
  );
}

export function TopBar() {
  const { t } = useTranslation();
  const network = useNetwork();
  const known = useLive((state) => state.app !== null);
  const onMac = useLive((state) => state.app?.platform === 'darwin') || navigator.platform.startsWith('Mac');
  return (
    <section className={classes.top} aria-label={t('app.topBar')}>
      <Link href={routes.dashboard} className={classes.brand}>
        <Logo />
        {t('common.appName')}
      </Link>
      {known && (
        <Tooltip label={t(`common.networkHint.${network}`)}>
          <span className={classes.network}>{t(`common.network.${network}`)}</span>
        </Tooltip>
      )}
      <UnstyledButton className={classes.search} onClick={spotlight.open} aria-haspopup="dialog">
        <IconSearch {...smallIcon} />
        <span className={classes.searchText}>{t('app.search')}</span>
        <span className={classes.key} aria-hidden>
          {t(onMac ? 'app.shortcutKeyMac' : 'app.shortcutKey')}
        </span>
      </UnstyledButton>
      <div className={classes.right}>
        <RunningJobs />
        {known && <TipAge />}
        <ServiceDots />
        <ThemeMenu />
      </div>
    </section>
  );
}
