import { skipToken, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { CurrencyRate, Failure } from '../../contract/index.ts';
import { formatCurrency } from '../lib/currency.ts';
import { api, client } from './client.ts';

/** How often a rate that is read is asked for again; the host asks its source less often. */
const LOOK_MS = 60_000;

/** The rate that amounts are shown by, and why there is none where one was asked for. */
export function useCurrencyRate(): { rate: CurrencyRate | null; failure: Failure | null; isRead: boolean } {
  const entries = useQuery(api.settings.list.queryOptions()).data;
  const set = entries?.filter(({ key }) => key.startsWith('currency.')).map(({ value }) => value);
  const isRead = set?.includes('whatsonchain') === true;
  const told = useQuery({
    queryKey: [...api.currency.rate.key(), set],
    queryFn: set === undefined ? skipToken : () => client.currency.rate(),
    refetchInterval: isRead && LOOK_MS,
  }).data;
  return { rate: told?.rate ?? null, failure: told?.failure ?? null, isRead };
}

/** Writes satoshis in the currency of the settings; undefined where there is no rate. */
export function useCurrency(): ((satoshis: number) => string) | undefined {
  const { i18n } = useTranslation();
  const { rate } = useCurrencyRate();
  return rate === null ? undefined : (satoshis) => formatCurrency(satoshis, rate, i18n.language);
}
