import fc from 'fast-check';
import { formatOutpoint, isCoinbase, satoshis, signP2pkhInputs, type Tx, toHex, txidOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';
import { GIVE_UP_AFTER_MS } from '../chain/mempool/mempool-scan.ts';
import { GAP_LIMIT } from '../keys/key-source.ts';
import { CHANGE_INDEX } from '../keys/wallet-key.ts';
import { WalletKeys } from '../keys/wallet-keys.ts';
import type { WalletView } from '../wallet-view.ts';
import { openAccounts, viewOf } from './test-accounts.ts';
import { FOREIGN_SCRIPT, payment, spending, TestNode } from './test-node.ts';
import type { Harness } from './test-wallet.ts';

const WORDS = `${'abandon '.repeat(11)}about`;
const XPUB =
  'tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp';
const NETWORK = 'test';

/** What happens in the life of a wallet, one after the other. `account` and `at` choose among what there is. */
export type Step =
  | { do: 'give'; account: number; count: number }
  | { do: 'pay'; account: number; at: number; token: boolean }
  | { do: 'spend'; at: number; change: boolean }
  | { do: 'mine'; chosen: number }
  | { do: 'age'; blocks: number }
  | { do: 'reorganise'; depth: number; lost: number }
  | { do: 'restart' };

export interface Life {
  /** Accounts of the seed beside the main one, and whether a watched one is among them. */
  further: number;
  watched: boolean;
  /**
   * Whether addresses are given out after unconfirmed payments too, as earlier versions and other wallets do. Then every payment is in a
   * block in the end, in any order.
   */
  hasty: boolean;
  /** Whether more than a thousand blocks follow, after which spent coins are forgotten. */
  old: boolean;
  steps: Step[];
}

const nat = (max: number) => fc.nat({ max });
const steps: fc.Arbitrary<Step>[] = [
  fc.record({ do: fc.constant('give' as const), account: nat(9), count: fc.integer({ min: 1, max: 25 }) }),
  fc.record({ do: fc.constant('pay' as const), account: nat(9), at: nat(1_000), token: fc.boolean() }),
  fc.record({ do: fc.constant('spend' as const), at: nat(1_000), change: fc.boolean() }),
  fc.record({ do: fc.constant('mine' as const), chosen: nat(0xffff) }),
  fc.record({ do: fc.constant('reorganise' as const), depth: fc.integer({ min: 1, max: 3 }), lost: nat(0xffff) }),
  fc.record({ do: fc.constant('age' as const), blocks: fc.integer({ min: 1, max: 5 }) }),
  fc.constant({ do: 'restart' as const }),
];
const [give, pay, spend, mine, ...rare] = steps as [
  fc.Arbitrary<Step>,
  fc.Arbitrary<Step>,
  fc.Arbitrary<Step>,
  fc.Arbitrary<Step>,
];

export const lives: fc.Arbitrary<Life> = fc.record({
  further: fc.constantFrom(0, 0, 0, 1, 2),
  watched: fc.constantFrom(false, false, true),
  hasty: fc.boolean(),
  old: fc.integer({ min: 0, max: 19 }).map((one) => one === 7),
  steps: fc.array(
    fc.oneof(
      { arbitrary: give, weight: 5 },
      { arbitrary: pay, weight: 8 },
      { arbitrary: spend, weight: 2 },
      { arbitrary: mine, weight: 3 },
      { arbitrary: fc.oneof(...rare), weight: 1 },
    ),
    { minLength: 10, maxLength: 80, size: 'max' },
  ),
});

/** A wallet that is open, with its accounts. */
export class OpenWallet {
  readonly #harness: Harness;
  accounts!: Accounts;
  view!: WalletView;

  private constructor(harness: Harness) {
    this.#harness = harness;
  }

  /** Opens a wallet in an empty place. @param backup a backup file in place of the words */
  static async restore(harness: Harness, node: TestNode, backup?: string): Promise<OpenWallet> {
    await empty(harness);
    harness.node = node;
    const one = new OpenWallet(harness);
    const keys = await WalletKeys.open({ network: NETWORK, secrets: harness.secrets, clock: harness.clock }, false);
    if (backup === undefined) await keys.restore(WORDS);
    else await keys.restoreSeed((await openPlain(backup)).seed);
    await one.#open();
    if (backup !== undefined) await one.view.backup.restore({ text: backup, passphrase: '' });
    await one.follow();
    return one;
  }

  async #open(): Promise<void> {
    const wallet = await this.#harness.open(NETWORK);
    this.accounts = await openAccounts({ harness: this.#harness, wallet }, NETWORK);
    this.view = viewOf(this.#harness, this.accounts, NETWORK);
    await wallet.start();
    await this.accounts.start();
    await this.follow();
  }

  /** Adds what the words do not bring back. */
  async addAccounts({ further, watched }: Life): Promise<void> {
    for (let n = 0; n < further; n++) await this.accounts.create({ name: `${n}` });
    if (watched) await this.accounts.watch({ name: 'watched', xpub: XPUB, birthHeight: 0 });
    await this.follow();
  }

  async follow(): Promise<void> {
    for (const { wallet } of this.accounts.all) await wallet.follow();
  }

  async close(): Promise<void> {
    await this.accounts.main.wallet.stop();
    await this.accounts.stop();
  }

  async restart(): Promise<void> {
    await this.close();
    await this.#open();
  }

  /** Lets the wallet give up what the node does not know any more. */
  async giveUpLost(): Promise<void> {
    for (const ms of [1, GIVE_UP_AFTER_MS]) {
      this.#harness.clock.advance(ms);
      await this.follow();
    }
  }

  /** Everything unspent: account, outpoint, satoshis, and whether it is money. */
  unspent(): string[] {
    return this.accounts.all
      .flatMap((account) => {
        const coins = [...(account.wallet.coinStore?.coins ?? [])].filter(([, { spentBy }]) => spentBy === null);
        return coins.map(([outpoint, { satoshis, kind }]) => `${nameOf(account)} ${outpoint} ${satoshis} ${kind}`);
      })
      .sort();
  }
}

async function openPlain(text: string) {
  const { openBackup } = await import('../backup/wallet-backups.ts');
  const { PLAIN_SEAL } = await import('./test-accounts.ts');
  return openBackup(PLAIN_SEAL, text, '');
}

/** Watched accounts have an id of their own in each place. */
const nameOf = ({ id, kind }: Account): string => (kind === 'watch' ? 'watched' : id);

async function empty({ store, secrets }: Harness): Promise<void> {
  secrets.kept.clear();
  const tables = await store.db.introspection.getTables();
  for (const { name } of tables) if (name.startsWith('wallet_')) await store.db.deleteFrom(name as never).execute();
}

interface Own {
  account: string;
  index: number;
}

/** Lives a life with a wallet in it. What the wallet should have is told by simple bookkeeping over the blocks and the mempool. */
export class LifeRun {
  readonly node = new TestNode();
  readonly #life: Life;
  readonly wallet: OpenWallet;
  /** Whose address pays to a script (hex). */
  readonly #owners = new Map<string, Own>();
  /** Highest index that was given out, and for change that was paid, by account. */
  readonly given = new Map<string, number>();
  readonly #change = new Map<string, number>();
  /** Transactions that spend without a signature. */
  readonly #unsigned = new Set<string>();
  #value = 1_000;

  private constructor(life: Life, wallet: OpenWallet, node: TestNode) {
    this.#life = life;
    this.wallet = wallet;
    this.node = node;
  }

  static async live(harness: Harness, life: Life): Promise<LifeRun> {
    const node = new TestNode();
    const wallet = await OpenWallet.restore(harness, node);
    await wallet.addAccounts(life);
    const run = new LifeRun(life, wallet, node);
    for (const step of life.steps) await run.#step(step);
    await run.#end();
    return run;
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case 'give':
        for (let n = 0; n < step.count; n++) if (!(await this.#give(this.#account(step.account)))) break;
        return;
      case 'pay':
        this.#pay(step);
        break;
      case 'spend':
        this.#spend(step);
        break;
      case 'mine':
        this.#mine(step.chosen);
        break;
      case 'age':
        for (let n = 0; n < step.blocks; n++) this.node.mine();
        break;
      case 'reorganise':
        this.#reorganise(step);
        break;
      case 'restart':
        await this.wallet.restart();
    }
    await this.wallet.follow();
  }

  async #end(): Promise<void> {
    // in a hasty life every payment is in a block of its own, the last one first
    while (this.#life.hasty && this.node.mempool.length > 0) {
      const ready = this.node.mempool.filter((tx) => !this.#parentWaits(tx));
      this.node.mine([ready.at(-1) as Tx]);
    }
    if (this.#life.old) for (let n = 0; n < 1_110; n++) this.node.mine();
    await this.wallet.giveUpLost();
  }

  #account(at: number): Account {
    const { all } = this.wallet.accounts;
    return all[at % all.length] as Account;
  }

  /** @returns whether there was a fresh address */
  async #give(account: Account): Promise<boolean> {
    const name = nameOf(account);
    const before = this.given.get(name) ?? 0;
    let index = before + 1;
    if (this.#life.hasty) {
      const paid = [...this.#paid()].filter((one) => one.account === name && one.index < CHANGE_INDEX);
      if (index > Math.max(0, ...paid.map((one) => one.index)) + GAP_LIMIT) return false;
      await account.wallet.followTo({ index, change: 0 });
    } else {
      await this.wallet.accounts.switch({ id: account.id });
      const fresh = await this.wallet.view.addresses.next({ label: '' }).catch((error: unknown) => {
        if (error instanceof PlanchetError && error.code === 'conflict') return undefined;
        throw error;
      });
      if (fresh === undefined) return false;
      if (fresh.index !== index) throw new Error(`${fresh.index} was given out in place of ${index}`);
      index = fresh.index;
    }
    this.given.set(name, index);
    return true;
  }

  #scriptOf({ wallet }: Account, index: number): Uint8Array {
    const key = wallet.keys.all.find((one) => one.index === index);
    if (key === undefined) throw new Error(`the key ${index} is not followed`);
    return key.lockingScript;
  }

  #pay({ account: chosen, at, token }: Extract<Step, { do: 'pay' }>): void {
    const account = this.#account(chosen);
    const name = nameOf(account);
    const highest = this.given.get(name) ?? 0;
    // mostly one of those that were given out last
    let index = at % 3 === 0 ? at % (highest + 1) : Math.max(0, highest - (at % GAP_LIMIT));
    if (name === 'watched' && at % 5 === 0) {
      const next = (this.#change.get(name) ?? -1) + 1;
      this.#change.set(name, next);
      index = CHANGE_INDEX + next;
    }
    const script = this.#scriptOf(account, index);
    this.#owners.set(toHex(script), { account: name, index });
    this.#value += 1;
    this.node.mempool.push(payment({ script, satoshis: token ? 1 : this.#value }));
  }

  #spend({ at, change }: Extract<Step, { do: 'spend' }>): void {
    const free = [...this.#unspent().values()];
    const coin = free[at % Math.max(1, free.length)];
    if (coin === undefined) return;
    const main = this.wallet.accounts.main;
    const script = this.#scriptOf(main, 0);
    this.#owners.set(toHex(script), { account: 'main', index: 0 });
    const outputs = change && coin.satoshis > 1 ? [{ script, satoshis: coin.satoshis - 1 }] : [];
    const tx = spending([coin], ...outputs, { script: FOREIGN_SCRIPT, satoshis: 1 });
    const owner = this.wallet.accounts.all.find((account) => nameOf(account) === coin.account);
    const key = owner?.wallet.keys.all.find((one) => one.index === coin.index);
    if (key?.privateKey) {
      const { txid, vout, satoshis: value } = coin;
      const spent = { txid, vout, satoshis: satoshis(value), lockingScript: key.lockingScript };
      this.node.mempool.push(signP2pkhInputs(tx, [spent], key.privateKey));
    } else if (!this.#parentWaits(tx)) {
      // nothing here can sign for a watched account: a block takes the transaction without a check
      this.#unsigned.add(txidOf(tx));
      this.node.mine([tx]);
    }
  }

  #parentWaits(tx: Tx, among: readonly Tx[] = this.node.mempool): boolean {
    return tx.inputs.some(({ txid }) => among.some((one) => txidOf(one) === txid));
  }

  #mine(chosen: number): void {
    const left: Tx[] = [];
    const block: Tx[] = [];
    for (const [n, tx] of this.node.mempool.entries()) {
      if ((chosen >> (n % 16)) & 1 && !this.#parentWaits(tx, left)) block.push(tx);
      else left.push(tx);
    }
    this.node.mine(block);
  }

  #reorganise({ depth, lost }: Extract<Step, { do: 'reorganise' }>): void {
    const count = Math.min(depth, this.node.height);
    const waiting = this.node.mempool;
    this.node.mempool = [];
    this.node.disconnect(count);
    const back = this.node.mempool;
    const kept: Tx[] = [];
    const gone: Tx[] = [];
    for (const [n, tx] of [...back, ...waiting].entries()) {
      const isLost = !this.#life.hasty && n < back.length && ((lost >> (n % 16)) & 3) === 3;
      if (isLost || this.#parentWaits(tx, gone)) gone.push(tx);
      else kept.push(tx);
    }
    this.node.mempool = kept;
    // no honest mempool holds what nobody signed: the new blocks hold it, with what it spends
    const again = new Set<Tx>();
    const take = (tx: Tx): void => {
      again.add(tx);
      for (const one of kept) if (tx.inputs.some(({ txid }) => txid === txidOf(one))) take(one);
    };
    for (const tx of kept) if (this.#unsigned.has(txidOf(tx))) take(tx);
    this.node.mine(kept.filter((tx) => again.has(tx)));
    for (let n = 0; n < count; n++) this.node.mine();
  }

  #transactions(): Tx[] {
    return [...this.node.blocks.flatMap(({ block }) => block.transactions), ...this.node.mempool];
  }

  *#paid(): Iterable<Own> {
    for (const { outputs } of this.#transactions()) {
      for (const { script } of outputs) {
        const own = this.#owners.get(toHex(script));
        if (own) yield own;
      }
    }
  }

  #unspent(): Map<string, Own & { txid: string; vout: number; satoshis: number }> {
    const found = new Map<string, Own & { txid: string; vout: number; satoshis: number }>();
    const all = this.#transactions().filter((tx) => !isCoinbase(tx));
    for (const tx of all) {
      for (const [vout, { script, satoshis }] of tx.outputs.entries()) {
        const own = this.#owners.get(toHex(script));
        const txid = own && txidOf(tx);
        if (txid) found.set(formatOutpoint({ txid, vout }), { ...own, txid, vout, satoshis });
      }
    }
    for (const { inputs } of all) for (const input of inputs) found.delete(formatOutpoint(input));
    return found;
  }

  /** What {@link OpenWallet.unspent} should say. */
  expected(): string[] {
    return [...this.#unspent()]
      .map(([outpoint, { account, satoshis }]) => {
        return `${account} ${outpoint} ${satoshis} ${satoshis === 1 ? 'token' : 'funding'}`;
      })
      .sort();
  }

  /** The highest index of an address of an account that is paid on the chain or waits for it. */
  highestPaid(account: string): number {
    const of = [...this.#paid()].filter((own) => own.account === account && own.index < CHANGE_INDEX);
    return Math.max(0, ...of.map(({ index }) => index));
  }

  /** Pays every address once more that was ever paid, in one block. */
  payAllAgain(): void {
    const scripts = new Set([...this.#paid()].map(({ account, index }) => `${account} ${index}`));
    const paid = [...this.#owners].filter(([, { account, index }]) => scripts.has(`${account} ${index}`));
    this.node.mine(paid.map(([script]) => payment({ script: Buffer.from(script, 'hex'), satoshis: 777 })));
  }
}
