import { Button, Loader, Text, Title, UnstyledButton } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnection } from '../../api/connection/connection.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import bannerClasses from '../../components/styles/banner.module.css';
import classes from '../../components/styles/card.module.css';
import { CopyButton } from '../../components/values/copy-button.tsx';
import { Logo } from './logo.tsx';

const OPEN_COMMAND = 'npm run planchet -- open';
const SLOW_MS = 8_000;

/** Shown only after a break of some length, since the first reconnect is usually enough. */
export function ReconnectBanner() {
  const { t } = useTranslation();
  const { phase, attempt } = useConnection();
  if (phase !== 'reconnecting' || attempt < 2) return null;
  return (
    <div className={bannerClasses.banner} role="status">
      <Loader size={14} color="var(--pl-wait-text)" />
      {t('app.connection.reconnecting')}
      <UnstyledButton
        className={bannerClasses.action}
        // The loop also retries when the window regains the focus. This button does the same.
        onClick={() => window.dispatchEvent(new Event('focus'))}
      >
        {t('app.connection.retryNow')}
      </UnstyledButton>
    </div>
  );
}

/** Shown until the first snapshot: that the page is waiting, and after a while why that may be. */
export function Connecting() {
  const { t } = useTranslation();
  const [slow, setSlow] = useState(false);
  useTimeout(() => setSlow(true), SLOW_MS, { autoInvoke: true });
  return (
    <div className={classes.centre}>
      <div style={{ textAlign: 'center' }} role="status">
        <Logo size={48} />
        <Title order={1} mt="md">
          {t('app.connection.connecting')}
        </Title>
        <Text c="dimmed">{t(slow ? 'app.connection.connectingSlow' : 'app.connection.connectingHint')}</Text>
        <Loader size="sm" type="dots" mt="md" mx="auto" />
      </div>
    </div>
  );
}

/** @param refused the page was opened from a link whose token no longer works. */
export function Unauthorized({ refused, onRetry }: { refused: boolean; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <main className={classes.centre}>
      <div className={classes.card}>
        <Logo size={40} />
        <Title order={1} mt="md">
          {t('app.unauthorized.title')}
        </Title>
        {refused && <Callout tone="wait" title={t('app.unauthorized.refused')} role="alert" />}
        <Text mt="sm">{t('app.unauthorized.text')}</Text>
        <ol className={classes.steps}>
          <li>{t('app.unauthorized.step1')}</li>
          <li>
            {t('app.unauthorized.step2')}
            <div className={classes.command}>
              <span>{OPEN_COMMAND}</span>
              <CopyButton value={OPEN_COMMAND} what={OPEN_COMMAND} />
            </div>
          </li>
          <li>{t('app.unauthorized.step3')}</li>
        </ol>
        <Button onClick={onRetry}>{t('app.unauthorized.retry')}</Button>
      </div>
    </main>
  );
}
