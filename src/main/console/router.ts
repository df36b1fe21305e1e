import { os } from './handlers/base.ts';
import { headers } from './handlers/miners/headers.ts';
import { merchant } from './handlers/miners/keys.ts';
import { miners } from './handlers/miners/miners.ts';
import { tx } from './handlers/miners/transactions.ts';
import { webhook } from './handlers/miners/webhook.ts';
import { gateway, zmq } from './handlers/node/gateway.ts';
import { node } from './handlers/node/node.ts';
import { sandbox } from './handlers/node/sandbox.ts';
import { app } from './handlers/program/app.ts';
import { approvals } from './handlers/program/approvals.ts';
import { events } from './handlers/program/events.ts';
import { networks } from './handlers/program/networks.ts';
import { search } from './handlers/program/search.ts';
import { services } from './handlers/program/services.ts';
import { sessions } from './handlers/program/sessions.ts';
import { settings } from './handlers/program/settings.ts';
import { diagnostics, doctor, logs } from './handlers/program/support.ts';
import { files } from './handlers/studio/files.ts';
import { imports } from './handlers/studio/imports.ts';
import { items } from './handlers/studio/items.ts';
import { mint } from './handlers/studio/mint.ts';
import { outputs } from './handlers/studio/outputs.ts';
import { projects } from './handlers/studio/projects.ts';
import { quota } from './handlers/studio/quota.ts';
import { rehearsals } from './handlers/studio/rehearsals.ts';
import { runs } from './handlers/studio/runs.ts';
import { transactions } from './handlers/studio/transactions.ts';
import { tokenBench } from './handlers/token-bench.ts';
import { tokens } from './handlers/tokens.ts';
import { wallet } from './handlers/wallet.ts';
import { writer } from './handlers/writer.ts';

/** The whole contract, implemented against a `ConsoleContext` that each transport passes in. */
export const router = os.router({
  app,
  approvals,
  sessions,
  events,
  services,
  settings,
  search,
  networks,
  doctor,
  logs,
  diagnostics,
  wallet,
  projects,
  outputs,
  files,
  items,
  import: imports,
  mint,
  runs,
  rehearsals,
  tokens,
  tokenBench,
  quota,
  transactions,
  node,
  gateway,
  zmq,
  writer,
  merchant,
  miners,
  headers,
  webhook,
  tx,
  sandbox,
});
