import { useTranslation } from 'react-i18next';
import { useNow } from '../../components/values/use-now.ts';
import { formatRelative } from '../../lib/format.ts';

/** When what failed is tried again, in words; null where it is not. @param until milliseconds since 1970, or a date and time in ISO 8601 */
export function useNextAttempt(until: number | string | null): string | null {
  const { t, i18n } = useTranslation();
  const now = useNow();
  if (until === null) return null;
  const at = typeof until === 'string' ? Date.parse(until) : until;
  return at <= now
    ? t('writer.list.triedNow')
    : t('writer.list.triedAt', { time: formatRelative(at, now, i18n.language) });
}
