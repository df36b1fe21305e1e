import { IconHammer } from '@tabler/icons-react';
import { useLive } from '../../api/live/live-store.ts';
import { useRuns } from '../../api/run-list.ts';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useMintCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };
import jobTexts from './jobs/en.json' with { type: 'json' };
import runTexts from './run/en.json' with { type: 'json' };
import { MintToasts } from './toasts.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    mint: typeof texts;
    jobs: typeof jobTexts;
    run: typeof runTexts;
  }
}

/** The mint wizard and every mint job. */
export const mint: Feature = {
  texts: { mint: texts, jobs: jobTexts, run: runTexts },
  nav: {
    group: 'create',
    to: routes.jobs,
    label: 'jobs.nav',
    Icon: IconHammer,
    alsoAt: '/runs',
    useCount: () => {
      const runs = useRuns().filter((run) => run.state === 'minting' || run.waits || run.canApprove).length;
      return useLive((state) => state.jobs.filter((job) => job.active || job.awaitingApproval).length) + runs;
    },
  },
  help: [routes.jobs, '/runs', '/rehearsals'].map((at) => ({ texts: 'jobs.help', at })),
  views: [
    view('/projects/:uid/mint/:jobId?', async () => (await import('./wizard/mint-wizard.tsx')).MintWizard, {
      keyedBy: 'uid',
    }),
    view(routes.jobs, async () => (await import('./jobs/jobs.tsx')).Jobs),
    view('/jobs/:id', async () => (await import('./jobs/job-page.tsx')).JobPage, { keyedBy: 'id' }),
    view('/rehearsals/:id', async () => (await import('./rehearsal/rehearsal-page.tsx')).RehearsalPage, {
      keyedBy: 'id',
    }),
    view('/runs/:id', async () => (await import('./run/run-page.tsx')).RunPage, { keyedBy: 'id' }),
  ],
  useCommands: useMintCommands,
  Background: MintToasts,
};
