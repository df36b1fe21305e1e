import { app } from './handlers/app.ts';
import { os } from './handlers/base.ts';
import { events } from './handlers/events.ts';
import { files } from './handlers/files.ts';
import { gateway, zmq } from './handlers/gateway.ts';
import { imports } from './handlers/imports.ts';
import { items } from './handlers/items.ts';
import { merchant } from './handlers/merchant.ts';
import { mint } from './handlers/mint.ts';
import { node } from './handlers/node.ts';
import { projects } from './handlers/projects.ts';
import { quota } from './handlers/quota.ts';
import { runs } from './handlers/runs.ts';
import { sandbox } from './handlers/sandbox.ts';
import { services } from './handlers/services.ts';
import { settings } from './handlers/settings.ts';
import { tokenBench } from './handlers/token-bench.ts';
import { tokens } from './handlers/tokens.ts';
import { transactions } from './handlers/transactions.ts';
import { wallet } from './handlers/wallet.ts';
import { writer } from './handlers/writer.ts';

/** The whole contract, implemented against a `ConsoleContext` that each transport passes in. */
export const router = os.router({
  app,
  events,
  services,
  settings,
  wallet,
  projects,
  files,
  items,
  import: imports,
  mint,
  runs,
  tokens,
  tokenBench,
  quota,
  transactions,
  node,
  gateway,
  zmq,
  writer,
  merchant,
  sandbox,
});
