import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PrivateKey } from '@bsv/sdk';
import { pino } from 'pino';
import { afterEach, beforeEach } from 'vitest';
import { type Outpoint, satoshis, signP2pkhInputs, type Tx, txidOf, type Utxo } from '../../../chain/index.ts';
import {
  type Failure,
  type LiveEvent,
  type Network,
  PlanchetError,
  type Settings,
  settingsSchema,
} from '../../../contract/index.ts';
import type { HeaderStore } from '../../chain-data/headers/header-store.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { ChainData, KeyHistory, SpendTold } from '../../ports/chain-data.ts';
import type { NodeRpc } from '../../ports/node.ts';
import type { SecretName, SecretStore } from '../../ports/secrets.ts';
import type { Store } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { verifiedHeaders } from '../../test-support/verified-headers.ts';
import { createWorkerPool } from '../../workers/worker-pool.ts';
import type { ScriptCheck } from '../chain/mempool/unconfirmed-checks.ts';
import { fullBalanceOf } from '../coins/spendable.ts';
import { walletMigrations } from '../migrations.ts';
import type { WalletTables } from '../tables.ts';
import { Wallet } from '../wallet.ts';
import { indexedChain } from './indexed-chain.ts';
import { FIRST_HEADER, spending, TestNode } from './test-node.ts';

/** A transaction that costs nothing, for {@link Wallet.reserve}. */
export const NO_FEE = () => satoshis(0);

/** Where the node is, as errors name it. */
export const NODE_NAME = 'http://node.test:8332';

/** Secrets in memory, which can be locked. */
export class TestSecrets implements SecretStore {
  locked = false;
  readonly kept = new Map<SecretName, Uint8Array>();
  /** What a locked vault throws. */
  readonly refusal: Error;

  constructor(refusal: Error) {
    this.refusal = refusal;
  }

  get(name: SecretName): Uint8Array | undefined {
    if (this.locked) throw this.refusal;
    return this.kept.get(name)?.slice();
  }

  async set(name: SecretName, value: Uint8Array): Promise<void> {
    if (this.locked) throw this.refusal;
    this.kept.set(name, Uint8Array.from(value));
  }

  async delete(name: SecretName): Promise<void> {
    this.kept.delete(name);
  }
}

/** Everything a wallet needs around it, in a temporary folder. */
export interface Harness {
  readonly folder: string;
  node: TestNode;
  readonly clock: StillClock;
  readonly secrets: TestSecrets;
  settings: Settings;
  /** While set, the wallets opened next follow the chain by an index of scripts, which says what this makes of it. */
  byIndex: ((honest: KeyHistory) => KeyHistory) | undefined;
  /** What such an index says of who spends an output, beside what is true. */
  spentBy: (outpoint: Outpoint) => SpendTold | undefined;
  /** Checks scripts as the application does. */
  scripts: ScriptCheck;
  readonly events: LiveEvent[];
  readonly logged: string[];
  /** Notices that stand, by id. */
  readonly notices: Map<string, Failure>;
  /** Verified headers of the node's chain. */
  headers: HeaderStore;
  store: Store<WalletTables>;
  /** Opens a wallet over what is stored, as after a restart of the program. */
  open(network?: Network): Promise<Wallet>;
  /** From the next opening of a wallet on, a branch gives way to one with more work alone, as on the main network. */
  requireWork(): Promise<void>;
  /** Closes and opens the store again. */
  reopenStore(): Promise<void>;
  remove(): Promise<void>;
}

const scripts = createWorkerPool({ size: 1 }).verifyInputs;

const vaultLocked = () => new PlanchetError({ code: 'vault-locked', message: 'The vault is locked.' });

/** @param refusal what the secrets throw while they are locked @param inFolder of an earlier process; left out, a new one */
export async function makeHarness(refusal: Error = vaultLocked(), inFolder?: string): Promise<Harness> {
  const folder = inFolder ?? (await mkdtemp(join(tmpdir(), 'planchet-wallet-')));
  const openTables = () =>
    openStore<WalletTables>({ file: join(folder, 'wallet.db'), migrations: walletMigrations, synchronous: 'normal' });
  const logged: string[] = [];
  const events: LiveEvent[] = [];
  const notices = new Map<string, Failure>();
  const clock = new StillClock(Date.parse('2026-11-21T08:00:00Z'));
  // The node may be another one after a restart.
  const rpc: NodeRpc = {
    name: NODE_NAME,
    call: (method, params, options) => harness.node.call(method, params, options),
  };
  const openHeaders = (followsNode = true) =>
    verifiedHeaders({ dataDir: folder, clock, node: rpc, first: FIRST_HEADER, followsNode });
  const chainDataOf = ({ headers, byIndex }: Harness): ChainData => {
    const chainData: ChainData = {
      ...createNodeChainData(rpc, headers),
      onTransaction: (listener) => harness.node.onTransaction(listener),
    };
    return byIndex === undefined
      ? chainData
      : indexedChain(
          chainData,
          () => harness.node,
          () => headers,
          byIndex,
          (outpoint) => harness.spentBy(outpoint),
        );
  };
  const harness: Harness = {
    byIndex: undefined,
    spentBy: () => undefined,
    folder,
    node: new TestNode(),
    clock,
    headers: openHeaders(),
    notices,
    secrets: new TestSecrets(refusal),
    settings: settingsSchema.parse({}),
    scripts,
    events,
    logged,
    store: await openTables(),
    open: (network = 'sandbox') =>
      Wallet.open({
        network,
        secrets: harness.secrets,
        clock: harness.clock,
        store: harness.store,
        settings: { current: () => harness.settings },
        chainData: chainDataOf(harness),
        headers: harness.headers,
        notices: {
          add: ({ id, failure }) => void notices.set(id ?? '', failure),
          dismiss: (id) => void notices.delete(id),
        },
        scripts: harness.scripts,
        tips: { current: () => harness.node.current(), onTip: (listener) => harness.node.onTip(listener) },
        events: { publish: (event) => void events.push(event) },
        logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
      }),
    async requireWork() {
      await harness.headers.close();
      harness.headers = openHeaders(false);
    },
    async reopenStore() {
      await harness.store.close();
      harness.store = await openTables();
    },
    async remove() {
      await harness.headers.close();
      await harness.store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return harness;
}

/** Opens a wallet for each test of a file, and stops it after the test. */
export class WalletOfTest {
  #harness: Harness | undefined;
  #wallet: Wallet | undefined;

  constructor() {
    beforeEach(async () => {
      this.#harness = await makeHarness();
      await this.open();
    });
    afterEach(async () => {
      await this.#wallet?.stop();
      await this.#harness?.remove();
    });
  }

  get harness(): Harness {
    return this.#harness as Harness;
  }

  get wallet(): Wallet {
    return this.#wallet as Wallet;
  }

  /** Opens one more wallet over what is stored; it is the one that is stopped after the test. */
  async open(network?: Network): Promise<Wallet> {
    this.#wallet = await this.harness.open(network);
    return this.#wallet;
  }

  /** Stops the wallet and opens what it stored, as a restart of the program does. */
  async restart(network?: Network): Promise<Wallet> {
    await this.wallet.stop();
    await this.harness.reopenStore();
    return this.open(network);
  }

  /** Signs what spends outputs of these transactions with the main key. */
  signed(tx: Tx, ...parents: readonly Tx[]): Tx {
    const made = new Map(parents.map((parent) => [txidOf(parent), parent.outputs]));
    const spent = tx.inputs.map(({ txid, vout }): Utxo => {
      const output = made.get(txid)?.[vout];
      if (output === undefined) throw new Error(`nothing made ${txid}_${vout}`);
      return { txid, vout, satoshis: output.satoshis, lockingScript: output.script };
    });
    return signP2pkhInputs(tx, spent, this.wallet.keys.key.privateKey as PrivateKey);
  }

  /** Spends the first output of a transaction, signed. */
  readonly spend = (tx: Tx, ...outputs: readonly { script: Uint8Array; satoshis: number }[]): Tx =>
    this.signed(spending([{ txid: txidOf(tx), vout: 0 }], ...outputs), tx);

  /** An output that the main address can spend. */
  readonly own = (value: number) => ({ script: this.wallet.lockingScript(), satoshis: value });

  readonly balance = () => fullBalanceOf(this.wallet.open().coinStore);

  readonly known = (tx: Tx): boolean => this.wallet.open().coinStore.transactions.has(txidOf(tx));

  /** Lets the wallet look again, as its timer would, and waits until it has. */
  readonly look = async (): Promise<void> => {
    this.harness.clock.advance(10_000);
    await this.settled();
  };

  /** Waits until the wallet has read what the node has, by a pass that is under way and one more. */
  readonly settled = (): Promise<void> => this.wallet.follow();

  /** Has the node list these in its mempool, and the wallet look. */
  readonly lists = async (...txs: readonly Tx[]): Promise<void> => {
    this.harness.node.mempool = [...txs];
    await this.look();
  };
}

/** The same with a wallet that follows the chain by an index of scripts. */
export class IndexedWalletOfTest extends WalletOfTest {
  /** What the index makes of what there is. */
  tells: (honest: KeyHistory) => KeyHistory = (honest) => honest;

  constructor() {
    super();
    beforeEach(async () => {
      this.tells = (honest) => honest;
      this.harness.byIndex = (honest) => this.tells(honest);
      await this.open();
    });
  }
}
