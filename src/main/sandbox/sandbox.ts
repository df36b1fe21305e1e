import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { formatOutpoint, fromHex, p2pkhScript, satoshis } from '../../chain/index.ts';
import {
  type Contract,
  type Failure,
  PlanchetError,
  type RelayResult,
  type SandboxChain,
  type SandboxClockSetting,
  type SandboxFault,
  type SandboxStatus,
  type Serves,
} from '../../contract/index.ts';
import { type LocalServer, parseBind } from '../local-server.ts';
import type { Service } from '../ports/service.ts';
import type { Endpoints } from '../ports/settings.ts';
import { MAX_BLOCKS, MAX_SATOSHIS } from './api/admin-routes.ts';
import { ApiError } from './api/api-error.ts';
import { newApiKey } from './api/api-keys.ts';
import { serveSandbox } from './api/server.ts';
import { Archive } from './controls/archive.ts';
import { chainView } from './controls/chain-view.ts';
import type { Controls } from './controls/controls.ts';
import { doubleSpend } from './controls/double-spend.ts';
import { Faults } from './controls/faults.ts';
import { type CoreOptions, openCore, type SandboxCore } from './core.ts';
import { SerialQueue } from './node/mempool/admission.ts';
import { lockingScriptOf } from './node/mining/faucet.ts';
import type { SandboxNode } from './node/node.ts';
import { blockByHash } from './node/storage/chain-store.ts';
import { recipientHash } from './token/build.ts';

/**
 * `dataDir` is the folder of `sandbox.db`, the contents and the snapshots; created if missing. `walletScript` receives the first blocks
 * of a new chain; undefined if there is no wallet. `verify` runs a transaction's scripts, ideally in worker threads; `verifyBatch` does
 * the same for many transactions. `chainChanged` is called on every change of the chain, before the request that caused it is answered.
 */
export type SandboxOptions = Omit<CoreOptions, 'faults' | 'zmqAddress' | 'rpc' | 'local' | 'controls' | 'seed'> & {
  /** Called with all faults that are on when one is turned on or off. */
  faultsChanged?: (faults: SandboxFault[]) => void;
};

/**
 * A private network on this machine: a node with its miner, the token project API, the quota API, the merchant API and ARC, on one HTTP port
 * and one ZMQ port. All state is in `dataDir` and survives a restart.
 */
export class SandboxService implements Service, Controls {
  readonly name = 'sandbox';

  readonly faults = {
    /** Enables a fault until it is cleared, has occurred a number of times, or the sandbox stops. */
    set: async (fault) => {
      this.#faults.set(fault);
      return (await this.status()).faults;
    },
    /** Clears the faults with this name, with this area, or with both; all of them if neither is given. */
    clear: async (cleared) => {
      this.#faults.clear(cleared);
      return (await this.status()).faults;
    },
  } satisfies Serves<Contract['sandbox']['faults']>;

  readonly snapshots = {
    /** @throws PlanchetError `conflict` if the name is taken */
    take: ({ name }) => this.#changes.run(async () => this.#archive.take(name, this.#require().clock.now())),
    /** @throws PlanchetError `not-found` */
    revert: ({ name }) => this.#replace(async () => () => this.#archive.restore(name)),
    /** @throws PlanchetError `not-found` */
    remove: ({ name }) => this.#changes.run(() => this.#archive.remove(name)),
  } satisfies Serves<Contract['sandbox']['snapshots']>;

  readonly #options: SandboxOptions;
  readonly #archive: Archive;
  readonly #faults: Faults;
  /** Serialises replacements of the network. */
  readonly #changes = new SerialQueue();
  #rpc = newCredentials();
  #core: SandboxCore | undefined;
  /** Pending while the network is replaced. */
  #replacing: Promise<unknown> | undefined;
  #server: LocalServer | undefined;
  #zmqAddress = '';

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#faults = new Faults(options.faultsChanged);
    this.#archive = new Archive(options.dataDir);
  }

  /** @throws PlanchetError `bind-refused` | `port-in-use` | `store-failed` | `disk-full` | `vault-locked` */
  async start(): Promise<{ address: string; warning: Failure | undefined }> {
    const { bind, zmqAddress } = this.#options.settings.current().sandbox;
    refuseRemoteZmq(zmqAddress);
    this.#faults.clear();
    this.#rpc = newCredentials();
    await this.#archive.prepare();
    this.#zmqAddress = zmqAddress;
    try {
      const core = await this.#open();
      await core.sweep();
      this.#server = await serveSandbox({ bind, faults: this.#faults, app: () => this.#app() });
      return { address: this.#server.url, warning: core.warning };
    } catch (error) {
      // A network that cannot be reached must not keep running, nor a fault that was turned on meanwhile.
      this.#faults.clear();
      await this.#close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#changes.idle();
    const server = this.#server;
    this.#server = undefined;
    await server?.close();
    this.#faults.clear();
    await this.#close();
  }

  /** Addresses of the sandbox. The RPC address contains credentials that change at every start. @throws PlanchetError `not-running` */
  endpoints(): Endpoints {
    const { url } = this.#server ?? notRunning();
    const { username, password } = this.#rpc;
    return {
      baseUrl: `${url}/token/v1`,
      consoleBaseUrl: `${url}/console/v1`,
      mapiUrl: `${url}/mapi`,
      arcUrl: `${url}/arc/v1`,
      bitcoinRpcUrl: `http://${username}:${password}@${new URL(url).host}/rpc`,
      bitcoinZmqUrl: this.#zmqAddress,
    };
  }

  /** The default user's API key, valid for all APIs of the sandbox. @throws PlanchetError `not-running` */
  apiKey(): string {
    return this.#require().apiKey;
  }

  /** The node. @throws PlanchetError `not-running` */
  get node(): SandboxNode {
    return this.#require().node;
  }

  get workFolder(): string {
    return this.#archive.workFolder;
  }

  /**
   * Mines blocks immediately, including the waiting transactions.
   * @returns their hashes in order
   * @throws PlanchetError `invalid-input` | `not-running`
   */
  async mine({ blocks }: { blocks: number }): Promise<{ hashes: string[] }> {
    requireWhole(blocks, MAX_BLOCKS, 'blocks');
    return { hashes: await this.#require().node.mine(blocks) };
  }

  /**
   * Pays an address from the faucet.
   * @param payment.address Base58 P2PKH address of the test network
   * @param payment.satoshis whole satoshis from 1
   * @throws PlanchetError `address-invalid` | `address-wrong-network` | `invalid-input` | `funds-insufficient` | `not-running`
   */
  async fund(payment: { address: string; satoshis: number }): Promise<{ txid: string }> {
    requireWhole(payment.satoshis, MAX_SATOSHIS, 'satoshis');
    const { node } = this.#require();
    try {
      const script = p2pkhScript(recipientHash(payment.address, 'address'));
      return { txid: await node.fund(script, satoshis(payment.satoshis)) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new PlanchetError(
        error.code === 'address-wrong-network' ? 'sandbox.address-wrong-network' : 'sandbox.address-invalid',
        { reason: error.message },
        { cause: error },
      );
    }
  }

  /**
   * Replaces the newest blocks by a longer branch without their transactions, which return to the mempool.
   * @returns hashes of the new blocks in order
   * @throws PlanchetError `invalid-input` | `not-running`
   */
  async reorg({ depth }: { depth: number }): Promise<{ hashes: string[] }> {
    requireWhole(depth, MAX_BLOCKS, 'depth');
    return { hashes: await this.#require().node.reorg(depth) };
  }

  /**
   * Invalidates a block and its descendants, so that the blocks they replaced are the main chain again.
   * @throws PlanchetError `conflict` if it is not in the chain
   */
  async undoReorg({ hash }: { hash: string }): Promise<void> {
    const { node } = this.#require();
    const isThere = (await blockByHash(node.db, hash)) !== undefined;
    if (!isThere || !(await node.invalidateBlock(hash))) throw new PlanchetError('sandbox.branch-gone');
  }

  /** The newest blocks and the mempool. @param page.limit most blocks */
  chain({ limit }: { limit: number }): Promise<SandboxChain> {
    return chainView(this.node, limit);
  }

  /** Double-spends a transaction, see {@link doubleSpend}. @throws PlanchetError `not-found` | `conflict` */
  async doubleSpend(request: { txid: string; mined: boolean }): Promise<{ txid: string }> {
    const { node, forged, faucetKey } = this.#require();
    return { txid: await doubleSpend(node, forged, lockingScriptOf(faucetKey), request) };
  }

  /** Freezes an output: the node refuses new transactions that spend it. Transactions in the mempool stay there. */
  freeze({ txid, vout, list }: Parameters<Controls['freeze']>[0]): Promise<void> {
    return this.#require().node.frozen.set(formatOutpoint({ txid, vout }), list);
  }

  /** What spends outputs, in a block or the mempool. See `NodeQueries.spenders`. */
  spenders(outpoints: readonly string[]): ReturnType<SandboxNode['spenders']> {
    return this.#require().node.spenders(outpoints);
  }

  /** Submits a transaction as a peer of the node would. @param request.rawTx hex */
  async relay({ rawTx }: { rawTx: string }): Promise<RelayResult> {
    const { node } = this.#require();
    const result = await node.submit(fromHex(rawTx), { source: 'p2p' });
    if (result.ok) return { txid: result.txid, outcome: 'accepted', reason: null };
    const waits = result.txid !== null && node.orphans.has(result.txid);
    return { txid: result.txid, outcome: waits ? 'orphan' : 'refused', reason: `${result.code} ${result.reason}` };
  }

  /** Creates an API key for the named user, the default user, or a new user. */
  async createKey({ userUid, newUser }: Parameters<Controls['createKey']>[0]): Promise<{ apiKey: string }> {
    const { keys, apiKey } = this.#require();
    const created = newApiKey();
    await keys.add(created, newUser === true ? undefined : (userUid ?? keys.find(apiKey)?.userUid));
    return { apiKey: created };
  }

  async status(): Promise<SandboxStatus> {
    const { node, clock, state, callbacks } = this.#require();
    return {
      tip: node.tip(),
      medianTime: node.chainTip().medianTime * 1_000,
      mempool: { transactions: node.mempool.size, bytes: node.mempool.bytes },
      clock: { now: clock.now(), frozen: clock.frozen },
      seed: state.get('seed') ?? null,
      faults: this.#faults.list(),
      callbacks: await callbacks(),
      snapshots: await this.#archive.list(),
    };
  }

  activeFaults(): SandboxFault[] {
    return this.#faults.list();
  }

  /** Sets the sandbox's clock; persists over a restart. */
  async clock(setting: SandboxClockSetting): Promise<void> {
    const { clock, state } = this.#require();
    clock.set(setting);
    await state.set('clock', clock.stored);
  }

  /** Starts a new network; snapshots are preserved. @param options.seed gives the same keys and first blocks each time */
  reset({ seed }: { seed?: string | undefined }): Promise<void> {
    return this.#replace(async () => () => this.#archive.replace(async () => undefined), seed);
  }

  /** Exports the network to a new file, with the keys of the faucet and the miner. @throws PlanchetError `conflict` | `disk-full` */
  export({ file }: { file: string }): Promise<{ bytes: number }> {
    requireAbsolute(file);
    return this.#changes.run(async () => {
      const { faucetKey, minerKey, keys, apiKey } = this.#require();
      const defaultKey = keys.find(apiKey)?.keyHash ?? '';
      return this.#archive.exportTo(file, { faucetKey: faucetKey.toHex(), minerKey: minerKey.toHex(), defaultKey });
    });
  }

  /** Replaces this network by an exported one. @throws PlanchetError `not-found` | `invalid-input` */
  import({ file }: { file: string }): Promise<void> {
    requireAbsolute(file);
    return this.#replace(() => this.#archive.readImport(file));
  }

  #require(): SandboxCore {
    return this.#core ?? notRunning();
  }

  async #app(): Promise<FastifyInstance> {
    await this.#replacing;
    return this.#require().app;
  }

  async #open(seed?: string): Promise<SandboxCore> {
    const core = await openCore({
      ...this.#options,
      faults: this.#faults,
      zmqAddress: this.#zmqAddress,
      rpc: this.#rpc,
      local: () => this.#server,
      controls: this,
      seed,
    });
    // the next network listens on the same port
    this.#zmqAddress = core.zmqAddress;
    this.#core = core;
    return core;
  }

  async #close(): Promise<void> {
    const core = this.#core;
    this.#core = undefined;
    await core?.close();
  }

  /**
   * Closes the network, puts another in place and opens it; requests wait meanwhile. If the new one does not open, the previous one is
   * restored.
   * @param prepare work that may fail, done while the network still runs
   * @param seed of a new network
   */
  #replace(prepare: () => Promise<() => Promise<void>>, seed?: string): Promise<void> {
    return this.#changes.run(async () => {
      this.#require();
      const putInPlace = await prepare();
      const replacing = this.#exchange(putInPlace, seed);
      this.#replacing = replacing.catch(() => undefined);
      try {
        await replacing;
      } finally {
        this.#replacing = undefined;
        this.#options.chainChanged?.();
      }
    });
  }

  async #exchange(putInPlace: () => Promise<void>, seed?: string): Promise<void> {
    await this.#close();
    try {
      await putInPlace();
    } catch (error) {
      await this.#open();
      throw error;
    }
    const core = await this.#open(seed).catch(async (error: unknown) => {
      await this.#archive.undo();
      await this.#open();
      throw error;
    });
    await this.#archive.keep();
    // only now the contents of the previous network may be removed
    await core.sweep();
  }
}

function notRunning(): never {
  throw new PlanchetError('sandbox.not-running');
}

function newCredentials(): { username: string; password: string } {
  return { username: `sandbox-${randomBytes(4).toString('hex')}`, password: randomBytes(24).toString('hex') };
}

/** A relative path would name a different file here than in the working folder of the client. */
function requireAbsolute(file: string): void {
  if (!isAbsolute(file)) throw new PlanchetError('console.path-not-absolute', { file });
}

function requireWhole(value: number, most: number, what: string): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  throw new PlanchetError('sandbox.number-out-of-range', { what, most });
}

function refuseRemoteZmq(address: string): void {
  const { loopback, hosts, port } = parseBind(address.replace(/^tcp:\/\//, ''));
  if (loopback) return;
  throw new PlanchetError('sandbox.zmq-bind-refused', { hosts: hosts.join(', '), port });
}
