import { IconHammer } from '@tabler/icons-react';
import { useLive } from '../../api/live-store.ts';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useMintCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };
import jobTexts from './jobs/en.json' with { type: 'json' };
import { JobToasts } from './jobs/job-toasts.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    mint: typeof texts;
    jobs: typeof jobTexts;
  }
}

/** The mint wizard and every mint job. */
export const mint: Feature = {
  texts: { mint: texts, jobs: jobTexts },
  nav: {
    group: 'create',
    to: routes.jobs,
    label: 'jobs.nav',
    Icon: IconHammer,
    useCount: () => useLive((state) => state.jobs.filter((job) => job.active || job.awaitingApproval).length),
  },
  views: [
    view('/projects/:uid/mint/:jobId?', async () => (await import('./mint-wizard.tsx')).MintWizard, { keyedBy: 'uid' }),
    view(routes.jobs, async () => (await import('./jobs/jobs.tsx')).Jobs),
    view('/jobs/:id', async () => (await import('./jobs/job-page.tsx')).JobPage, { keyedBy: 'id' }),
  ],
  useCommands: useMintCommands,
  Background: JobToasts,
};
