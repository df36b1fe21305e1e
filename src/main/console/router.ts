import {
  callbacksContract,
  contract,
  doubleSpendsContract,
  minerHistoryContract,
  minerListContract,
  minerTestContract,
  PlanchetError,
  submissionContract,
  trackedContract,
} from '../../contract/index.ts';
import type { ConsoleContext, NotEverywhere, Served } from './context.ts';
import { os } from './handlers/base.ts';
import { events } from './handlers/events.ts';
import { files } from './handlers/files.ts';
import { imports } from './handlers/imports.ts';
import { sessions } from './handlers/sessions.ts';
import { handlersOf } from './handlers-of.ts';

/** Handlers of a group that the context serves under its name. */
const served = <Name extends Served>(name: Name) => handlersOf(contract[name], os[name], (context) => context[name]);

/** The same for a group that not every process serves. @param absent what its procedures throw elsewhere */
const servedHere = <Name extends NotEverywhere>(name: Name, absent: (context: ConsoleContext) => PlanchetError) =>
  handlersOf(contract[name], os[name], (context) => {
    if (context[name] === undefined) throw absent(context);
    return context[name];
  });

/** The whole contract, implemented against a `ConsoleContext` that each transport passes in. */
export const router = os.router({
  app: served('app'),
  approvals: served('approvals'),
  sessions,
  events,
  services: served('services'),
  settings: served('settings'),
  search: served('search'),
  networks: served('networks'),
  currency: served('currency'),
  doctor: served('doctor'),
  logs: served('logs'),
  diagnostics: served('diagnostics'),
  wallet: served('wallet'),
  projects: served('projects'),
  projectMoves: served('projectMoves'),
  outputs: served('outputs'),
  files,
  items: served('items'),
  import: imports,
  mint: served('mint'),
  runs: served('runs'),
  rehearsals: servedHere('rehearsals', () => new PlanchetError('rehearsal.not-here')),
  tokens: served('tokens'),
  redeemableTokens: served('redeemableTokens'),
  quota: served('quota'),
  transactions: served('transactions'),
  explorer: served('explorer'),
  node: served('node'),
  gateway: servedHere('gateway', () => new PlanchetError('console.gateway-missing')),
  zmq: servedHere('zmq', () => new PlanchetError('console.gateway-missing')),
  writer: handlersOf(contract.writer, os.writer, ({ writer }) => writer()),
  merchant: served('merchant'),
  miners: {
    ...handlersOf(minerListContract, os.miners, ({ miners }) => miners),
    ...handlersOf(minerTestContract, os.miners, ({ minerTester }) => minerTester),
    ...handlersOf(minerHistoryContract, os.miners, ({ minerHistory }) => minerHistory),
  },
  headers: served('headers'),
  webhook: served('webhook'),
  tx: {
    ...handlersOf(trackedContract, os.tx, ({ tracked }) => tracked),
    ...handlersOf(callbacksContract, os.tx, ({ callbacks }) => callbacks),
    ...handlersOf(submissionContract, os.tx, ({ submission }) => submission),
    ...handlersOf(doubleSpendsContract, os.tx, ({ doubleSpends }) => doubleSpends),
  },
  sandbox: servedHere('sandbox', ({ network }) => new PlanchetError('sandbox.other-network', { network })),
});
