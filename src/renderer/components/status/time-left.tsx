import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Eta, nextEta } from '../../lib/eta.ts';
import { useNow } from '../values/use-now.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Remaining time, rounded so that it does not jump. @param milliseconds the newest estimate */
export function TimeLeft({ milliseconds }: { milliseconds: number }) {
  const { t } = useTranslation();
  const now = useNow();
  const known = useRef<{ estimate: number; eta: Eta }>(undefined);
  const before = known.current;
  if (before === undefined || before.eta.at < now) {
    // An unchanged estimate decreases by the time that has passed since.
    const left = before?.estimate === milliseconds ? before.eta.endsAt - now : milliseconds;
    known.current = { estimate: milliseconds, eta: nextEta(before?.eta, left, now) };
  }
  const shown = known.current?.eta.shown ?? 0;
  if (shown === 0) return t('common.left.soon');
  return shown < 1.5 * HOUR
    ? t('common.left.minutes', { count: Math.round(shown / MINUTE) })
    : t('common.left.hours', { count: Math.round(shown / HOUR) });
}
