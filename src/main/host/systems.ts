import { join } from 'node:path';
import { bumpOfPath } from '../../chain/index.ts';
import type { Failure } from '../../contract/index.ts';
import { ApprovalQueue } from '../approvals/approval-queue.ts';
import { createProofVerifier } from '../chain-data/headers/proof-verifier.ts';
import { createMerchant, type MerchantSystems } from '../merchant/create-merchant.ts';
import type { Approvals } from '../ports/approvals.ts';
import type { Inclusion, KeptTransaction } from '../ports/chain-data.ts';
import type { Service } from '../ports/service.ts';
import type { SandboxOptions } from '../sandbox/sandbox.ts';
import { Studio } from '../studio/studio.ts';
import { RedeemableTokens } from '../tokens/redeemable-tokens.ts';
import type { Wallet } from '../wallet/wallet.ts';
import { WriterService } from '../writer/writer.ts';
import { createGateway, createNode, type GatewaySystems, type NodeSystems, sourceOf } from './create-gateway.ts';
import { createWalletSystems, openWallet, type WalletSystems } from './create-wallet.ts';
import { type CurrencyRates, createCurrencyRates } from './currency-rate.ts';
import { withEphemeralPorts } from './ephemeral-ports.ts';
import { healthOfFaults } from './fault-health.ts';
import type { HostHooks } from './host-hooks.ts';
import { type HostOptions, type Infrastructure, loggerOf } from './infrastructure.ts';
import { LiveEndpoints } from './networks/endpoints.ts';
import { createSandboxThread, type HostedSandbox } from './sandbox-thread/sandbox-thread.ts';
import { WriterBudget } from './writer-budget.ts';

/** Account of the wallet's seed whose coins pay for documents. */
const WRITER_ACCOUNT = 1;

/** Every system of the application, built and not yet started. */
export interface Systems extends NodeSystems, GatewaySystems, WalletSystems {
  endpoints: LiveEndpoints;
  currency: CurrencyRates;
  wallet: Wallet;
  /** Runs the wallet, and what it needs or feeds: the tip follower and redeemable tokens. */
  walletService: Service;
  /** On the sandbox network only. */
  sandbox: HostedSandbox | undefined;
  /** Runs the sandbox and redacts its secrets from the log. */
  sandboxService: Service | undefined;
  merchant: MerchantSystems;
  approvals: ApprovalQueue;
  studio: Studio;
  redeemableTokens: RedeemableTokens;
  writer: WriterService;
}

/** What the systems that follow the node are made from. */
interface Parts extends NodeSystems {
  options: HostOptions;
  base: Infrastructure;
  hooks: HostHooks;
  endpoints: LiveEndpoints;
  wallet: Wallet;
  merchant: MerchantSystems;
}

/**
 * Builds every system and passes each the others that it needs.
 * @throws PlanchetError if the wallet, the miners' keys or the API keys cannot be read
 */
export async function buildSystems(options: HostOptions, base: Infrastructure, hooks: HostHooks): Promise<Systems> {
  const endpoints = new LiveEndpoints(base.settings, base.network);
  const nodeSystems = createNode(options, base, () => endpoints);
  const sandbox =
    base.network === 'sandbox'
      ? await createSandbox(options, base, nodeSystems, {
          wallet: () => wallet,
          chainChanged: () => gatewaySystems.gateway.blockAnnounced(),
        })
      : undefined;
  const wallet = await openWallet(options, base, nodeSystems);
  if (sandbox) endpoints.readSandbox(() => (hooks.addressOf('sandbox') === null ? undefined : sandbox.endpoints()));
  const approvals = await ApprovalQueue.open({
    db: base.store.db,
    clock: base.clock,
    isLocked: () => wallet.status().state === 'locked',
    onChange: (waiting) => base.events.publish({ type: 'approvals', waiting: waiting.length }),
  });
  base.disposables.add(() => approvals.denyAll('stopped'));
  base.events.onSize = (pages) => approvals.pagesOpen(pages);
  const merchant = await openMerchant(options, base, endpoints, nodeSystems, approvals);
  base.events.onEvent = (event) => {
    if (event.type !== 'wallet') return;
    if (event.wallet.state === 'locked') void approvals.denyAll('locked');
    merchant.webhook.secretsChanged();
  };
  // a proof from a miner or a block is not asked for again
  nodeSystems.kept.push(async (txid) => keptOf(await merchant.tracker.proofOf(txid)));
  const parts: Parts = { ...nodeSystems, options, base, hooks, endpoints, wallet, merchant };
  const walletSystems = await createWalletSystems(options, base, nodeSystems, {
    wallet,
    merchant: merchant.merchantFor('wallet'),
    tracker: merchant.tracker,
    isBusy: () => studio.recentJobs().some(({ active }) => active),
  });
  const studio = createStudio(parts, walletSystems);
  const redeemableTokens = createRedeemableTokens(parts, walletSystems);
  merchant.reorganisations.namesOf = (txids) => studio.namesOf(txids);
  const gatewaySystems = await createGateway(options, base, hooks, {
    ...nodeSystems,
    endpoints: () => endpoints,
    broadcast: merchant.broadcast,
    tracker: merchant.tracker,
    announced: (hash) => merchant.announced.announced(hash),
  });
  return {
    ...nodeSystems,
    endpoints,
    currency: createCurrencyRates(base, nodeSystems, () => hooks.addressOf('sandbox')),
    wallet,
    ...walletSystems,
    walletService: createWalletService({ ...nodeSystems, wallet, redeemableTokens, merchant, ...walletSystems }),
    sandbox,
    sandboxService: sandbox && createSandboxService(sandbox, base),
    merchant,
    approvals,
    studio,
    redeemableTokens,
    ...gatewaySystems,
    writer: createWriter(parts, approvals),
  };
}

/** The wallet and the tracker of transactions get blocks from the tip follower, so it runs exactly as long as the wallet. */
function createWalletService(
  systems: Pick<Systems, 'tip' | 'headers' | 'wallet' | 'redeemableTokens' | 'merchant'> & WalletSystems,
): Service {
  const { tip, headers, wallet, redeemableTokens, merchant, payments, accounts, walletView, idleLock } = systems;
  return {
    name: 'wallet',
    start: async () => {
      tip.start();
      headers.start();
      merchant.follower.start();
      merchant.quoteRenewal.start();
      const running = await wallet.start();
      await redeemableTokens.start();
      await payments.start();
      await accounts.start();
      await walletView.finishRestore();
      idleLock.start();
      return running;
    },
    stop: async () => {
      idleLock.stop();
      await accounts.stop();
      await payments.stop();
      await redeemableTokens.stop();
      await wallet.stop();
      merchant.quoteRenewal.stop();
      await merchant.follower.stop();
      await headers.stop();
      await tip.stop();
    },
  };
}

/**
 * Run from its sources, the program keeps the sandbox in the host's own thread: another one would read and compile most of them again.
 * @param chainChanged is called before a request that changed the chain is answered, so that no later answer is outdated
 */
async function createSandbox(
  options: HostOptions,
  base: Infrastructure,
  { node }: NodeSystems,
  { wallet, chainChanged }: { wallet: () => Wallet; chainChanged: () => void },
): Promise<HostedSandbox> {
  const { settings, clock, vault, workers, events } = base;
  const shared = {
    settings: options.scope === 'core' ? withEphemeralPorts(settings) : settings,
    logger: loggerOf(base, 'sandbox'),
    secrets: vault,
    dataDir: join(options.dataDir, 'sandbox', 'node'),
    walletScript: () => (wallet().status().state === 'ready' ? wallet().lockingScript() : undefined),
    chainChanged,
    faultsChanged: (faults) => {
      events.publish({ type: 'faults', faults });
      // Upstreams that failed because of a fault are probed again at once; the gateway's status has the result.
      if (faults.length === 0) void node.measure().catch(() => undefined);
    },
  } satisfies Partial<SandboxOptions>;
  if (!import.meta.url.endsWith('.ts')) {
    const sandbox = createSandboxThread({ ...shared, workers });
    base.disposables.add(() => sandbox.end());
    return sandbox;
  }
  const { SandboxService } = await import('../sandbox/sandbox.ts');
  const { verify, verifyBatch } = workers;
  return new SandboxService({ ...shared, clock, verify, verifyBatch });
}

/** The sandbox's API key and RPC password change with its network and its start; clients send them with every request. */
function createSandboxService(sandbox: HostedSandbox, { logging }: Infrastructure): Service {
  let warning: Failure | undefined;
  return {
    name: 'sandbox',
    start: async () => {
      const running = await sandbox.start();
      warning = running.warning;
      logging.redactor.add(sandbox.apiKey());
      logging.redactor.add(new URL(sandbox.endpoints().bitcoinRpcUrl).password);
      return running;
    },
    health: () => ({ warning, ...healthOfFaults(sandbox.activeFaults()) }),
    stop: () => sandbox.stop(),
  };
}

async function openMerchant(
  { dataDir }: HostOptions,
  base: Infrastructure,
  endpoints: LiveEndpoints,
  { chainData, tips, headers }: NodeSystems,
  approvals: Approvals,
): Promise<MerchantSystems> {
  const { network, vault, store, settings, events, notices, clock, disposables, logging, workers } = base;
  const merchant = await createMerchant({
    network,
    dataDir: join(dataDir, network),
    store,
    settings,
    secrets: vault,
    redact: (secret) => logging.redactor.add(secret),
    endpoints: () => endpoints,
    chainData,
    headers,
    proofs: createProofVerifier(headers),
    tip: tips,
    outbound: base.outbound,
    verifySignatures: (signatures) => workers.verifySignatures(signatures),
    approvals,
    isWithoutNode: () => sourceOf(base, () => endpoints) === 'public',
    events,
    notices,
    clock,
    logger: loggerOf(base, 'merchant'),
  });
  disposables.add(() => merchant.close());
  return merchant;
}

function createStudio(
  { options, base, hooks, endpoints, chainData, tips, headers, wallet, merchant }: Parts,
  { accounts }: WalletSystems,
): Studio {
  const { network, store, settings, vault, clock, pictures } = base;
  return new Studio({
    network,
    dataDir: join(options.dataDir, network),
    store,
    settings,
    endpoints,
    secrets: vault,
    wallet,
    tokensOf: accounts,
    chainData,
    merchant: merchant.merchantFor('mint'),
    tracker: merchant.tracker,
    tip: tips,
    headers,
    pictures,
    events: { publish: hooks.publish },
    clock,
    random: Math.random,
    logger: loggerOf(base, 'studio'),
    ...(options.runLimits ? { runLimits: options.runLimits } : {}),
    ...(options.crashPoint ? { crashPoint: options.crashPoint } : {}),
  });
}

function createRedeemableTokens(
  { options, base, chainData, wallet, merchant }: Parts,
  { accounts }: WalletSystems,
): RedeemableTokens {
  const { network, store, settings, events, clock } = base;
  return new RedeemableTokens({
    network,
    store,
    settings,
    wallet,
    others: () => accounts.all.flatMap((one) => (one !== accounts.main && one.wallet.keys.canSign ? one.wallet : [])),
    merchant: merchant.merchantFor('token'),
    chainData,
    tracker: merchant.tracker,
    clock,
    events,
    logger: loggerOf(base, 'tokens'),
    ...(options.crashPoint ? { crashPoint: options.crashPoint } : {}),
  });
}

function createWriter(
  { options, base, hooks, endpoints, chainData, tips, wallet, merchant }: Parts,
  approvals: ApprovalQueue,
): WriterService {
  const { network, vault, clock } = base;
  const settings = new WriterBudget({ settings: base.settings, approvals, clock });
  return new WriterService({
    network,
    settings,
    dataDir: join(options.dataDir, network),
    wallet,
    poolKey: () => wallet.seedKeys.accountKey(WRITER_ACCOUNT),
    poolBirth: () => wallet.birthHeight,
    merchant: merchant.merchantFor('writer'),
    tracker: merchant.tracker,
    chainData,
    tips,
    endpoints: () => endpoints,
    secrets: vault,
    events: { publish: hooks.publish },
    clock,
    logger: loggerOf(base, 'writer'),
    capReached: () => {
      settings
        .capReached()
        .catch((error: unknown) => loggerOf(base, 'writer').error({ err: error }, 'nobody was asked'));
    },
    // A command uses the writer without opening its port to others.
    listens: options.scope === 'all',
  });
}

/** Runs the receiver of callbacks together with the webhook that passes states on. */
export function callbackService({ callbacks, webhook }: MerchantSystems): Service {
  return {
    name: callbacks.name,
    start: async () => {
      webhook.start();
      return callbacks.start();
    },
    health: () => callbacks.health(),
    stop: async () => {
      await webhook.stop();
      await callbacks.stop();
    },
  };
}

function keptOf(proof: Inclusion | undefined): KeptTransaction | undefined {
  return proof && { rawTx: null, bump: bumpOfPath(proof.height, proof.path) };
}
