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

/** Polling interval for the exchange rate. The host asks its source less often. */
const LOOK_MS = 60_000;
const ONE_BITCOIN = 100_000_000;

/** How the page shows amounts. The host stores the unit; `MoneySync` copies it here. */
export const useMoneyForm = create<MoneyForm>()(() => ({ unit: 'satoshi', rate: null }));

/** The rate used to show amounts, and why there is none if one was requested. */
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

/** Applies the unit from the host's settings to the page. */
export function MoneySync() {
  const { rate, unit } = useCurrencyRate();
  useEffect(() => useMoneyForm.setState({ rate }), [rate]);
  useEffect(() => {
    if (unit !== undefined) useMoneyForm.setState({ unit });
  }, [unit]);
  return null;
}

/** Applies the choice at once and saves it on the host. If saving fails, the choice lasts for this session. */
export function chooseMoneyUnit(queries: QueryClient, unit: MoneyUnit): void {
  useMoneyForm.setState({ unit });
  client.settings.set({ key: 'currency.unit', value: unit }).then(
    () => queries.invalidateQueries({ queryKey: api.settings.key() }),
    () => {},
  );
}

/** Formats satoshis in the unit chosen for the page. */
export function useMoney(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  return useCallback((satoshis: number) => formatMoney(satoshis, form, language), [form, language]);
}

/** The same followed by the satoshis, for amounts that are signed. */
export function useExactMoney(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  return useCallback((satoshis: number) => formatExactMoney(satoshis, form, language), [form, language]);
}

/** The satoshis shown after an amount that is signed. Empty if satoshis are the unit already. */
export function useSatoshisBeside(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  return (satoshis) => satoshisBeside(satoshis, form, language);
}

/** The same in a few characters, for small pictures. */
export function useShortMoney(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  return (satoshis) => formatShortMoney(satoshis, form, language);
}

/** The price of one bitcoin with its source and time. Undefined if there is none. */
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

/** Tooltip of an amount: the amount in the other units, and the rate if a currency is shown. */
export function useOtherUnits(): (satoshis: number) => string {
  const { language } = useTranslation().i18n;
  const form = useMoneyForm();
  const rateText = useRateText();
  return (satoshis) => {
    const others = otherUnits(satoshis, form, language);
    return shownUnit(form) === 'currency' && rateText !== undefined ? `${others} · ${rateText(Date.now())}` : others;
  };
}
