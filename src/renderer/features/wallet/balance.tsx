import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { WalletBalance } from '../../../contract/index.ts';
import { useMoney, useMoneyForm } from '../../api/money.ts';
import { Amount } from '../../components/values/values.tsx';
import { moneyParts } from '../../lib/money/money.ts';
import classes from './balance.module.css';

const parts = ['spendable', 'elsewhere', 'waiting', 'locked', 'frozen'] as const;

/** The total, and what it consists of: one bar, and under it each part with its definition on hover or focus. */
export function Balance({ balance }: { balance: WalletBalance }) {
  const { t, i18n } = useTranslation();
  const money = useMoney();
  const { figure, unit } = moneyParts(balance.total, useMoneyForm(), i18n.language);
  const shown = parts.filter((part) => part !== 'elsewhere' || balance.elsewhere > 0);
  return (
    <section className={classes.balance} aria-label={t('wallet.balance.title')}>
      <div className={classes.total}>
        <span className={classes.figure} data-testid="total">
          {figure}
        </span>
        <span className={classes.unit}>{unit}</span>
        <span className={classes.notes}>
          {balance.unconfirmed > 0 && (
            <span>{t('wallet.balance.unconfirmed', { amount: money(balance.unconfirmed) })}</span>
          )}
          {balance.tokens > 0 && <span>{t('wallet.balance.tokens', { count: balance.tokens })}</span>}
        </span>
      </div>
      <div
        className={classes.bar}
        role="img"
        aria-label={t('wallet.balance.bar', {
          spendable: money(balance.spendable + balance.elsewhere),
          waiting: money(balance.waiting),
          locked: money(balance.locked),
          frozen: money(balance.frozen),
        })}
      >
        {shown.map((part) =>
          balance[part] === 0 ? null : (
            <Tooltip key={part} label={t(`wallet.balance.meaning.${part}`)} maw={320}>
              <span className={classes.segment} data-part={part} style={{ flexGrow: balance[part] }} />
            </Tooltip>
          ),
        )}
      </div>
      <dl className={classes.parts}>
        {shown.map((part) => (
          <div key={part} className={classes.part}>
            <dt>
              <Tooltip
                label={t(`wallet.balance.meaning.${part}`)}
                maw={320}
                events={{ hover: true, focus: true, touch: true }}
              >
                <button type="button" className={classes.name}>
                  <span className={classes.key} data-part={part} aria-hidden />
                  {t(`wallet.balance.part.${part}`)}
                </button>
              </Tooltip>
            </dt>
            <dd data-testid={part}>
              <Amount satoshis={balance[part]} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
