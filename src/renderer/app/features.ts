import { approvals } from '../features/approvals/index.ts';
import { dashboard } from '../features/dashboard/index.ts';
import { errorHelp } from '../features/error-help/index.ts';
import { explorer } from '../features/explorer/index.ts';
import { gateway } from '../features/gateway/index.ts';
import { help } from '../features/help/index.ts';
import { miners } from '../features/miners/index.ts';
import { mint } from '../features/mint/index.ts';
import { networks } from '../features/networks/index.ts';
import { projects } from '../features/projects/index.ts';
import { redeemableTokens } from '../features/redeemable-tokens/index.ts';
import { sandbox } from '../features/sandbox/index.ts';
import { sessions } from '../features/sessions/index.ts';
import { settings } from '../features/settings/index.ts';
import { tokens } from '../features/tokens/index.ts';
import { transactions } from '../features/transactions/index.ts';
import { wallet } from '../features/wallet/index.ts';
import { welcome } from '../features/welcome/index.ts';
import { writer } from '../features/writer/index.ts';
import type { Feature } from '../lib/feature.ts';

/** Every feature of the application, in the order of the navigation. To add one, create its folder and add a line here. */
export const features: readonly Feature[] = [
  dashboard,
  projects,
  mint,
  tokens,
  redeemableTokens,
  wallet,
  transactions,
  miners,
  gateway,
  writer,
  explorer,
  sandbox,
  settings,
  help,
  errorHelp,
  networks,
  approvals,
  sessions,
  welcome,
];
