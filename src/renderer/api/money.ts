import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { create } from 'zustand';
import { type CurrencyRate, type Failure, type MoneyUnit, moneyUnits } from '../../contract/index.ts';
import { formatRelative } from '../lib/format.ts';
import {
  formatCurrency,
  formatExactMoney,
  formatMoney,
  formatShortMoney,
  type MoneyForm,
  otherUnits,
  satoshisBeside,
  shownUnit,
} from '../lib/money/money.ts';
import { api, client } from './client.ts';
import { useConnection } from './connection/connection.ts';

/** How often a rate that is read is asked for again; the host asks its source less often. */
const LOOK_MS = 60_000;
const ONE_BITCOIN = 100_000_000;

/** How every amount of the page is shown. The host keeps the unit; `MoneySync` brings it here. */
export const useMoneyForm = create<MoneyForm>()(() => ({ unit: 'satoshi', rate: null }));

/** The rate that amounts are shown by, and why there is none where one was asked for. */
export function useCurrencyRate(): {
  rate: CurrencyRate | null;
  failure: Failure | null;
  isRead: boolean;
  unit: MoneyUnit | undefined;
} {
  const live = useConnection((state) => state.phase === 'live');
  const entries = useQuery({ ...api.settings.list.queryOptions(), enabled: live }).data;
  const set = entries?.filter(({ key }) => key.startsWith('currency.') && key !== 'currency.unit');
  const isRead = set?.some(({ value }) => value === 'whatsonchain') === true;
  const told = useQuery({
    queryKey: [...api.currency.rate.key(), set?.map(({ value }) => value)],
    queryFn: set === undefined ? skipToken : () => client.currency.rate(),
    refetchInterval: isRead && LOOK_MS,
  }).data;
  const unit = entries?.find(({ key }) => key === 'currency.unit')?.value;
  return {
    rate: told?.rate ?? null,
    failure: told?.failure ?? null,
    isRead,
    unit: moneyUnits.find((one) => one === unit),
  };
}

/** Shows amounts as the host's settings say. */
export function MoneySync() {
  const { rate, unit } = useCurrencyRate();
  useEffect(() => useMoneyForm.setState({ rate }), [rate]);
  useEffect(() => {
    if (unit !== undefined) useMoneyForm.setState({ unit });
  }, [unit]);
  return null;
}

/** Shows the choice at once and has the host remember it; a failed save leaves what is on the screen for this session. */
export function chooseMoneyUnit(queries: QueryClient, unit: MoneyUnit): void {
  useMoneyForm.setState({ unit });
  client.settings.set({ key: 'currency.unit', value: unit }).then(
    () => queries.invalidateQueries({ queryKey: api.settings.key() }),
    () => {},
  );
}

/** Writes satoshis in the unit that was chosen for the whole page. */
export function useMoney(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  return useCallback((satoshis: number) => formatMoney(satoshis, form, language), [form, language]);
}

/** The same with satoshis beside, for what is signed. */
export function useExactMoney(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  return useCallback((satoshis: number) => formatExactMoney(satoshis, form, language), [form, language]);
}

/** The satoshis that stand beside an amount that is signed; empty where they are shown already. */
export function useSatoshisBeside(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  return (satoshis) => satoshisBeside(satoshis, form, language);
}

/** The same in a few letters, for small pictures. */
export function useShortMoney(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  return (satoshis) => formatShortMoney(satoshis, form, language);
}

/** The price of one bitcoin in words: whose it is, and of when. Undefined where there is none. */
export function useRateText(): ((now: number) => string) | undefined {
  const { t, i18n } = useTranslation();
  const rate = useMoneyForm((state) => state.rate);
  if (rate === null) return undefined;
  const { at, service } = rate;
  const price = t('common.money.price', { price: formatCurrency(ONE_BITCOIN, rate, i18n.language) });
  return (now) =>
    at === null || service === null
      ? `${price} · ${t('common.money.own')}`
      : `${price} · ${t('common.money.source', { service, ago: formatRelative(Math.min(at, now), now, i18n.language) })}`;
}

/** What stands over an amount: the same in the other units, and the rate where a currency is shown. */
export function useOtherUnits(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  const rateText = useRateText();
  return (satoshis) => {
    const others = otherUnits(satoshis, form, language);
    return shownUnit(form) === 'currency' && rateText !== undefined ? `${others} · ${rateText(Date.now())}` : others;
  };
}
