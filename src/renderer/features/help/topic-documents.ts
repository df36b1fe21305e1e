import { routes } from '../../lib/routes.ts';

/** The document with more about a view, by the view's address. */
const documents = new Map<string, string>([
  [routes.dashboard, 'guide/start'],
  [routes.projects, 'minting'],
  ['/import', 'importing'],
  [routes.jobs, 'mint-runs'],
  ['/runs', 'mint-runs'],
  ['/rehearsals', 'guide/rehearsal'],
  [routes.tokens, 'proof-bundle'],
  [routes.redeemableTokens, 'guide/redeemable-tokens'],
  [routes.wallet, 'wallet'],
  [routes.submitted, 'transactions'],
  [routes.miners, 'miners'],
  [routes.gateway, 'gateway'],
  [routes.approvals, 'gateway'],
  [routes.writer, 'data-writer'],
  [routes.explorer, 'transactions'],
  ['/tx', 'transactions'],
  ['/networks', 'guide/going-live'],
  [routes.sandbox, 'sandbox'],
  [routes.settings, 'command-line'],
  [routes.sessions, 'security'],
]);

/** The document of a view. @param at address of the view */
export const documentOf = (at: string): string => documents.get(at) ?? 'guide/troubleshooting';
