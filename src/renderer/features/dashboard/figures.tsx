import { Button, Progress } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { useMoney } from '../../api/money.ts';
import { showFailure } from '../../components/toasts/show-failure.ts';
import { Ago, Amount, Id } from '../../components/values/values.tsx';
import { formatInteger, formatUtcDay } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import classes from './figures.module.css';

interface FigureProps {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  action?: ReactNode;
}

function Figure({ label, value, note, action }: FigureProps) {
  return (
    <section className={classes.figure} aria-label={label}>
      <div className={classes.figureLabel}>{label}</div>
      <div className={classes.figureValue}>
        <span>{value}</span>
        {action}
      </div>
      <div className={classes.figureNote}>{note}</div>
    </section>
  );
}

function TipFigure() {
  const { t, i18n } = useTranslation();
  const tip = useLive((state) => state.tip);
  const sandbox = useLive((state) => state.app?.network === 'sandbox');
  const mine = useMutation(
    api.sandbox.mine.mutationOptions({ onError: (error) => showFailure('sandbox-mine', error) }),
  );
  return (
    <Figure
      label={t('dashboard.tip')}
      value={tip === null ? t('dashboard.noTip') : formatInteger(tip.height, i18n.language)}
      note={
        tip !== null && (
          <>
            <Id value={tip.hash} kind="block" />
            <Ago at={tip.time} />
          </>
        )
      }
      action={
        sandbox && (
          <Button
            size="compact-xs"
            variant="default"
            loading={mine.isPending}
            onClick={() => mine.mutate({ blocks: 1 })}
          >
            {t('dashboard.mineBlock')}
          </Button>
        )
      }
    />
  );
}

function BalanceFigure() {
  const { t } = useTranslation();
  const money = useMoney();
  const wallet = useLive((state) => state.wallet);
  if (wallet === null || wallet.state !== 'ready') {
    const isLocked = wallet?.state === 'locked';
    return (
      <Figure
        label={t('dashboard.balance')}
        value="–"
        note={t(isLocked ? 'dashboard.locked' : 'dashboard.missing')}
        action={
          wallet !== null && (
            <Button
              component={Link}
              href={isLocked ? routes.wallet : routes.network(wallet.network)}
              size="compact-xs"
              variant="default"
            >
              {t(isLocked ? 'dashboard.unlock' : 'dashboard.makeWallet')}
            </Button>
          )
        }
      />
    );
  }
  const { spendable, unconfirmed, reserved } = wallet.balance;
  return (
    <Figure
      label={t('dashboard.balance')}
      value={<Amount satoshis={spendable} />}
      note={
        <>
          {unconfirmed > 0 && <span>{t('dashboard.unconfirmed', { amount: money(unconfirmed) })}</span>}
          {reserved > 0 && <span>{t('dashboard.reserved', { amount: money(reserved) })}</span>}
          {unconfirmed === 0 && reserved === 0 && !wallet.worthless && <span>{t('dashboard.allConfirmed')}</span>}
          {wallet.worthless && <span>{t('dashboard.worthless')}</span>}
        </>
      }
    />
  );
}

function QuotaFigure() {
  const { t, i18n } = useTranslation();
  const quota = useLive((state) => state.quota);
  const hasService = useLive((state) => state.app?.network === 'sandbox' || state.app?.endpoints.baseUrl != null);
  if (!hasService) {
    return <Figure label={t('dashboard.quota')} value={t('dashboard.quotaNone')} note={t('dashboard.quotaNoneHint')} />;
  }
  if (quota === null) {
    return (
      <Figure label={t('dashboard.quota')} value={t('dashboard.quotaUnknown')} note={t('dashboard.quotaUnknownHint')} />
    );
  }
  const end = Date.parse(quota.endDate);
  const until = Number.isNaN(end) ? null : formatUtcDay(end, i18n.language);
  const percent = quota.monthlyMintLimit === 0 ? 100 : (quota.totalUsed / quota.monthlyMintLimit) * 100;
  return (
    <Figure
      label={t('dashboard.quota')}
      value={formatInteger(quota.available, i18n.language)}
      note={
        <>
          <Progress.Root size={4} w="100%">
            <Progress.Section
              value={percent}
              color={quota.available === 0 ? 'var(--pl-fail)' : undefined}
              aria-label={t('dashboard.quotaUsed', { count: quota.totalUsed })}
            />
          </Progress.Root>
          <span>
            {t('dashboard.quotaLeft', {
              limit: formatInteger(quota.monthlyMintLimit, i18n.language),
            })}
            {until !== null && `, ${t('dashboard.quotaUntil', { date: until })}`}
          </span>
        </>
      }
    />
  );
}

function TokensFigure() {
  const { t, i18n } = useTranslation();
  const wallet = useLive((state) => state.wallet);
  return (
    <Figure
      label={t('dashboard.tokens')}
      value={wallet?.state === 'ready' ? formatInteger(wallet.balance.tokens, i18n.language) : '–'}
      note={t('dashboard.tokensHint')}
    />
  );
}

/** Four figures: the chain, the balance, what is left to mint, and what was minted. */
export function Figures() {
  return (
    <div className={classes.figures}>
      <TipFigure />
      <BalanceFigure />
      <QuotaFigure />
      <TokensFigure />
    </div>
  );
}
