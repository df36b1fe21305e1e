import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useCurrency, useCurrencyRate } from '../../../api/use-currency.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import layout from '../../../components/styles/layout.module.css';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Ago } from '../../../components/values/values.tsx';
import { formatCurrency } from '../../../lib/currency.ts';
import { formatBsv, formatSatoshis } from '../../../lib/format.ts';
import classes from './going-live.module.css';

const ONE_BITCOIN = 100_000_000;

/** An amount that a person has to get somewhere else: in satoshis, in BSV as other programs ask for it, and in a currency where there is a rate. */
export function ThreeUnits({ label, satoshis }: { label: string; satoshis: number }) {
  const { t, i18n } = useTranslation();
  const inCurrency = useCurrency();
  const bsv = formatBsv(satoshis, i18n.language);
  return (
    <div>
      <div className={layout.dim}>{label}</div>
      <div className={classes.large} data-testid="satoshis">
        {formatSatoshis(satoshis, i18n.language)}
      </div>
      <div className={classes.others}>
        <span className="num">{bsv}</span>
        <CopyButton
          value={formatBsv(satoshis, 'en').replaceAll(',', '').replace(' BSV', '')}
          what={t('goingLive.rate.amountInBsv')}
        />
        {inCurrency !== undefined && <span className="num">≈ {inCurrency(satoshis)}</span>}
      </div>
    </div>
  );
}

/** Lets a person have amounts in US dollars: nobody is asked for a price before. Says whose price it is, and of when. */
export function RateSwitch() {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const { rate, failure, isRead } = useCurrencyRate();
  const set = useMutation({
    mutationFn: (on: boolean) => client.settings.set({ key: 'currency.source', value: on ? 'whatsonchain' : 'own' }),
    onSettled: () => queries.invalidateQueries({ queryKey: api.settings.key() }),
  });
  return (
    <div>
      <Switch
        size="xs"
        label={t('goingLive.rate.read')}
        description={t('goingLive.rate.readHint')}
        checked={isRead}
        disabled={set.isPending}
        onChange={(event) => set.mutate(event.currentTarget.checked)}
      />
      {set.isError && <FailureNote failure={failureOf(set.error)} />}
      {isRead && failure !== null && <FailureNote failure={failure} tone="wait" />}
      {rate !== null && (
        <div className={layout.dim}>
          {t('goingLive.rate.price', { price: formatCurrency(ONE_BITCOIN, rate, i18n.language) })}
          {rate.at === null || rate.service === null ? (
            ` · ${t('goingLive.rate.own')}`
          ) : (
            <>
              {` · ${t('goingLive.rate.source', { service: rate.service })} `}
              <Ago at={rate.at} />
            </>
          )}
        </div>
      )}
    </div>
  );
}
