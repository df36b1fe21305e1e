import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useLive } from '../../../api/live/live-store.ts';
import { hideToast, showToast } from '../../../components/toasts/toast-store.ts';
import { artTitle } from '../../../components/values/art-title.ts';
import { routes } from '../../../lib/routes.ts';
import { newsOf } from './job-news.ts';

const tones = { minted: 'done', failed: 'fail', waiting: 'wait' } as const;

/** Notifies of changes in jobs whose page is not open; the open page shows its own. */
export function JobToasts() {
  const { t, i18n } = useTranslation();
  const [location, navigate] = useLocation();
  useEffect(
    () =>
      useLive.subscribe((state, previous) => {
        if (state.jobs === previous.jobs) return;
        const before = new Map(previous.jobs.map((job) => [job.id, job]));
        for (const job of state.jobs) {
          // The job was decided in the meantime.
          if (!job.awaitingApproval) hideToast(`waiting-${job.id}`);
          const news = newsOf(before.get(job.id), job);
          const isShown = location.endsWith(`/${job.id}`) || location === routes.welcomeStep('create');
          if (news === null || isShown) continue;
          showToast({
            id: `${news}-${job.id}`,
            tone: tones[news],
            title: t(`jobs.toast.${news}`, { art: artTitle(t, job.art, job.tokenCount, i18n.language) }),
            action: { label: t('jobs.toast.open'), run: () => navigate(routes.job(job.id)) },
          });
        }
      }),
    [t, i18n.language, location, navigate],
  );
  return null;
}
