import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { formatCurrency } from '../../lib/currency.ts';

/** Writes satoshis in the currency of the settings; undefined where none is set. */
export function useCurrency(): ((satoshis: number) => string) | undefined {
  const { i18n } = useTranslation();
  const entries = useQuery(api.settings.list.queryOptions()).data;
  const code = entries?.find(({ key }) => key === 'currency.code')?.value;
  const rate = entries?.find(({ key }) => key === 'currency.rate')?.value;
  if (typeof code !== 'string' || code === '' || typeof rate !== 'number' || rate <= 0) return undefined;
  return (satoshis) => formatCurrency(satoshis, { code, rate }, i18n.language);
}
