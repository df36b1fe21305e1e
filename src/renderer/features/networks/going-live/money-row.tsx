import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../../api/client.ts';
import { useMoney } from '../../../api/money.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { RateSwitch } from '../../../components/money/rate-switch.tsx';
import { PayFromApp } from '../../../components/receive/pay-from-app.tsx';
import { paymentUri } from '../../../components/receive/payment-uri.ts';
import { QrCode } from '../../../components/receive/qr-code.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Ago, Amount, Id } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import classes from './going-live.module.css';
import { ThreeUnits } from './three-units.tsx';
import type { GoingLive } from './use-going-live.ts';

/** Number of payments listed below the address. */
const SHOWN_ARRIVALS = 3;

/** The amount that the project needs, the balance, and the address for the rest. Payments appear as soon as they arrive. */
export function MoneyBody({ live }: { live: GoingLive }) {
  const { t } = useTranslation();
  const money = useMoney();
  const { plan, project, drafts, wallet, spendable } = live;
  const isOpen = wallet?.state === 'ready';
  // A person who requests an address expects a payment, so the wallet checks more often.
  const addresses = useQuery({ ...api.wallet.addresses.list.queryOptions(), enabled: isOpen });
  const address = isOpen ? (addresses.data?.[0]?.address ?? wallet.address) : null;
  if (address === null) return <p>{t('goingLive.money.noWallet')}</p>;
  const needed = plan.data?.needed;
  const missing = needed === undefined ? undefined : Math.max(0, needed - spendable);
  const asked = missing === undefined || missing === 0 ? undefined : missing;
  const text = paymentUri(address, asked);
  return (
    <Stack gap="md">
      <ErrorNote error={plan.error} retrying={plan.isFetching} onRetry={() => void plan.refetch()} />
      <div className={layout.withCode}>
        <QrCode
          text={text}
          size={192}
          label={
            asked === undefined
              ? t('goingLive.money.qr', { address })
              : t('goingLive.money.qrAmount', { address, amount: money(asked) })
          }
        />
        <Stack gap="sm" className={classes.facts}>
          {project === undefined || drafts === 0 ? (
            <p>{t('goingLive.money.noProject')}</p>
          ) : (
            plan.data !== undefined &&
            missing !== undefined && (
              <>
                <ThreeUnits
                  label={t(missing === 0 ? 'goingLive.money.enough' : 'goingLive.money.send')}
                  satoshis={missing === 0 ? spendable : missing}
                />
                <div className={layout.dim}>
                  {t('goingLive.money.margin', {
                    project: project.name,
                    total: money(plan.data.total),
                    margin: money(plan.data.needed - plan.data.total),
                  })}
                </div>
              </>
            )
          )}
          <div>
            <div className={layout.dim}>{t('goingLive.money.address')}</div>
            <Id value={address} kind="address" full unnamed />
          </div>
          {asked !== undefined && (
            <Group gap={6}>
              <span className={layout.dim}>{t('goingLive.money.request')}</span>
              <CopyButton value={text} what={t('goingLive.money.request')} />
            </Group>
          )}
          {asked !== undefined && <PayFromApp address={address} satoshis={asked} />}
          <Arrivals />
          <RateSwitch />
          <Group>
            <Button size="compact-sm" variant="subtle" component={Link} href={routes.walletPart('receive')}>
              {t('goingLive.money.receive')}
            </Button>
          </Group>
        </Stack>
      </div>
    </Stack>
  );
}

/** The newest incoming payments. */
function Arrivals() {
  const { t } = useTranslation();
  const history = useQuery(api.wallet.history.list.queryOptions({ input: { limit: 20 } }));
  const came = history.data?.entries.filter(({ amount, state }) => amount > 0 && state !== 'dropped') ?? [];
  return (
    <div role="status">
      {came.length === 0 ? (
        <span className={layout.dim}>{t('goingLive.money.nothing')}</span>
      ) : (
        came.slice(0, SHOWN_ARRIVALS).map(({ txid, amount, at, height, toldBy }) => (
          <div key={txid} data-arrival={txid}>
            <Link href={routes.transaction(txid)} className="link">
              <Amount satoshis={amount} />
            </Link>{' '}
            {t(height === null ? 'goingLive.money.seen' : 'goingLive.money.mined')} <Ago at={at} />
            {toldBy !== undefined && (
              <div className={layout.dim}>
                {t('goingLive.money.told', { count: toldBy.length, names: toldBy.join(', ') })}
              </div>
            )}
          </div>
        ))
      )}
    </div>
  );
}
