import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { ApprovalsBackground } from './background.tsx';
import { useApprovalCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    approvals: typeof texts;
  }
}

/** Approval requests of other programs, and their permissions. */
export const approvals: Feature = {
  texts: { approvals: texts },
  views: [view(routes.approvals, async () => (await import('./approvals-page.tsx')).ApprovalsPage)],
  help: [{ texts: 'approvals.help', at: routes.approvals }],
  useCommands: useApprovalCommands,
  Background: ApprovalsBackground,
};
