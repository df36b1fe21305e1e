import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Run } from '../../../../contract/index.ts';
import { useRuns } from '../../../api/run-list.ts';
import { showToast } from '../../../components/toasts/toast-store.ts';
import { routes } from '../../../lib/routes.ts';
import { runNewsOf } from './run-news.ts';

const tones = { minted: 'done', partly: 'wait', partlyCancelled: 'done', stopped: 'fail' } as const;

/** Notifies of runs that ended or stopped while their page is not open; the open page shows it itself. */
export function RunToasts() {
  const { t } = useTranslation();
  const [location, navigate] = useLocation();
  const runs = useRuns();
  const before = useRef<ReadonlyMap<string, Run>>(new Map());
  useEffect(() => {
    const known = before.current;
    before.current = new Map(runs.map((run) => [run.id, run]));
    for (const run of runs) {
      const news = runNewsOf(known.get(run.id), run);
      if (news === null || location === routes.run(run.id)) continue;
      showToast({
        id: `${news}-${run.id}`,
        tone: tones[news],
        title: t(`run.toast.${news}`, { project: run.projectName }),
        action: { label: t('jobs.toast.open'), run: () => navigate(routes.run(run.id)) },
      });
    }
  }, [runs, t, location, navigate]);
  return null;
}
