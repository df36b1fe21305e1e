import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useReorganisation } from '../../../api/transactions/reorganisation.ts';
import { showToast } from '../../../components/toasts/toast-store.ts';
import { reorganisationLink, reorganisationWords } from './reorganisation-words.ts';

/** Tells of each reorganisation in one sentence; one that touched the person's things stays until it is read. */
export function ReorganisationToast() {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  useEffect(
    () =>
      useReorganisation.subscribe(({ last }) => {
        if (last === null) return;
        const to = reorganisationLink(last);
        showToast({
          id: 'reorganisation',
          tone: last.total > 0 ? 'wait' : 'info',
          title: reorganisationWords(t, last, i18n.language),
          action: to === undefined ? undefined : { label: t('submitted.reorganisation.open'), run: () => navigate(to) },
          ...(last.total > 0 ? { lastsMs: null } : {}),
        });
      }),
    [t, i18n.language, navigate],
  );
  return null;
}
