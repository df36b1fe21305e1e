import { useTranslation } from 'react-i18next';
import type { WriterDocumentView } from '../../../../contract/index.ts';
import { useNow } from '../../../components/values/use-now.ts';
import { formatRelative } from '../../../lib/format.ts';

/** When a document whose last attempt failed is tried again, in words; null where it is not. */
export function useNextAttempt({ nextAttemptAt }: Pick<WriterDocumentView, 'nextAttemptAt'>): string | null {
  const { t, i18n } = useTranslation();
  const now = useNow();
  if (nextAttemptAt === null) return null;
  const at = Date.parse(nextAttemptAt);
  return at <= now
    ? t('writer.list.triedNow')
    : t('writer.list.triedAt', { time: formatRelative(at, now, i18n.language) });
}
