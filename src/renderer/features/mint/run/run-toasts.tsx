import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { Run } from '../../../../contract/index.ts';
import { useRuns } from '../../../api/run-list.ts';
import { routes } from '../../../lib/routes.ts';
import { runNewsOf } from './run-news.ts';

const colors = { minted: 'green', partly: 'yellow', stopped: 'red' } as const;

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
      const id = `${news}-${run.id}`;
      notifications.show({
        id,
        color: colors[news],
        title: t(`run.toast.${news}`, { project: run.projectName }),
        message: (
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => {
              notifications.hide(id);
              navigate(routes.run(run.id));
            }}
          >
            {t('jobs.toast.open')}
          </Anchor>
        ),
        closeButtonProps: { 'aria-label': t('common.close') },
      });
    }
  }, [runs, t, location, navigate]);
  return null;
}
