import type { ConsoleContext } from '../console/context.ts';
import { createSendMany } from '../studio/tokens/send-many/send-many.ts';
import { createExplorer } from './explorer/explorer.ts';
import { createTransactions } from './explorer/transactions.ts';
import type { HostOptions, Infrastructure } from './infrastructure.ts';
import type { Networks } from './networks/networks.ts';
import { ProjectMoves } from './networks/project-moves.ts';
import type { Systems } from './systems.ts';

/** What serves the groups of procedures that the services answer by themselves, without the host. */
export function servedBySystems(options: HostOptions, base: Infrastructure, systems: Systems, networks: Networks) {
  const { sandbox, chainData, gateway, gatewayView, relay, walletView, studio, redeemableTokens, merchant } = systems;
  return {
    wallet: walletView,
    projects: studio.projects,
    projectMoves: new ProjectMoves({ ...options, ...base, studio, networks }),
    outputs: studio.outputs,
    files: studio.files,
    items: studio.items,
    import: studio.imports,
    mint: studio.mint,
    runs: studio.runs,
    tokens: {
      ...studio.tokens,
      send: walletView.tokenSends,
      sendMany: createSendMany({
        tokens: studio.tokens,
        recipients: () => walletView.recipients(),
        prepare: (moves) => walletView.send.prepareTokens(moves),
      }),
    },
    quota: studio.quota,
    redeemableTokens,
    merchant: merchant.merchantKeys,
    miners: merchant.miners,
    headers: systems.headers,
    minerHistory: merchant.minerHistory,
    minerTester: merchant.minerTester,
    tracked: merchant.transactions,
    callbacks: merchant.callbacks,
    submission: merchant.manual,
    doubleSpends: merchant.doubleSpends,
    transactions: createTransactions({
      sources: () => ({ chainData, sandbox, wallet: walletView, tracked: merchant.transactions }),
      ...{ view: studio.transactions, network: base.network },
    }),
    webhook: merchant.webhook,
    explorer: createExplorer(chainData),
    node: { call: ({ method, params }, signal) => gateway.call(method, params, signal) },
    ...(options.scope === 'core' ? {} : { gateway: gatewayView, zmq: relay }),
    histograms: () => gateway.traffic.histograms(),
  } satisfies Partial<ConsoleContext>;
}
