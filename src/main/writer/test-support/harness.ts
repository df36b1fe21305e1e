import { PrivateKey } from '@bsv/sdk';
import {
  addSatoshis,
  asFundingUtxo,
  encodeAddress,
  type FundingUtxo,
  formatOutpoint,
  hash160,
  p2pkhScript,
  parseTx,
  requiredFee,
  type Satoshis,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  toHex,
  txidOf,
  type Utxo,
  verifyScripts,
} from '../../../chain/index.ts';
import { type Balance, PlanchetError, type WalletStatus } from '../../../contract/index.ts';
import type { BatchMerchant, FeeQuote, MinerPolicy } from '../../ports/merchant/merchant.ts';
import type { FundingWallet } from '../../ports/wallet.ts';
import { SigningKey } from '../sending/data-transaction.ts';
import { TestNetwork } from './network.ts';

const key = PrivateKey.fromHex('1'.padStart(64, '0'));
const publicKey = Uint8Array.from(key.toPublicKey().toDER() as number[]);
const ownHash = hash160(publicKey);
const ownScript = p2pkhScript(ownHash);
/** Private key of the writer's own coins in these tests. */
export const poolKey = Uint8Array.from(Buffer.from('2'.padStart(64, '0'), 'hex'));
const poolScript = toHex(new SigningKey(poolKey).lockingScript);

/** A call to a service outside the writer that never returns, once: as when the process is killed there. */
export type Place = 'feeQuote' | 'reserve' | 'sign' | 'submit' | 'observe';

/** Wallet and merchant API on a network, around a writer under test. It outlives any number of writer processes. */
export class TestHarness extends TestNetwork {
  readonly reservations = new Map<string, FundingUtxo[]>();
  quote: FeeQuote = { standard: { satoshis: 500, bytes: 1_000 }, data: { satoshis: 500, bytes: 1_000 }, expiresAt: 0 };
  /** What the miner says it takes at most; undefined where it does not say. */
  policy: MinerPolicy | undefined;
  walletState: WalletStatus['state'] = 'ready';
  submissions = 0;
  /** Runs before the miner gives a quote; may throw in its place. */
  beforeQuote: () => void = () => {};
  /** Runs before the miner looks at a transaction; may throw in its place. */
  beforeSubmit: () => void = () => {};
  /** Runs after the miner took a transaction; may throw in place of the answer. */
  afterSubmit: () => void = () => {};
  #freeze: { place: Place; when: 'before' | 'after' } | undefined;
  #frozen: () => void = () => {};
  #known = new Set<string>();
  #granted = 0;

  constructor(...values: number[]) {
    super();
    for (const [index, value] of values.entries()) this.#mint(index, value);
    this.mine();
  }

  get balance(): number {
    return [...this.#own()].reduce((sum, coin) => sum + coin.satoshis, 0);
  }

  /** Outpoints of the writer's own coins that nothing spends. */
  get poolCoins(): string[] {
    const own = [...this.coins.values()].filter(({ lockingScript }) => toHex(lockingScript) === poolScript);
    return own.map(formatOutpoint).sort();
  }

  /** @returns when the named call is reached; it then never ends */
  freezeAt(place: Place, when: 'before' | 'after'): Promise<void> {
    this.#freeze = { place, when };
    return new Promise((resolve) => {
      this.#frozen = resolve;
    });
  }

  /** The merchant API gives no fee quote, so that accepted documents stay accepted. @returns what ends that */
  holdQuotes(): () => void {
    const { beforeQuote } = this;
    this.beforeQuote = () => {
      throw new PlanchetError({ code: 'upstream-unreachable', message: 'The merchant API cannot be reached.' });
    };
    return () => {
      this.beforeQuote = beforeQuote;
    };
  }

  readonly wallet: FundingWallet = {
    status: () => ({
      state: this.walletState,
      network: 'sandbox',
      address: this.wallet.address(),
      publicKey: toHex(publicKey),
      balance: this.wallet.balance(),
      worthless: true,
    }),
    balance: (): Balance => {
      const held = new Set([...this.reservations.values()].flat().map(formatOutpoint));
      const own = [...this.#own()];
      const sum = (coins: Utxo[]) => coins.reduce((total, coin) => total + coin.satoshis, 0);
      const reserved = sum(own.filter((coin) => held.has(formatOutpoint(coin))));
      return { spendable: sum(own) - reserved, confirmed: sum(own), unconfirmed: 0, reserved, tokens: 0 };
    },
    address: () => encodeAddress(ownHash, 'test'),
    publicKey: () => toHex(publicKey),
    lockingScript: () => ownScript,
    noteSigned: async () => {},
    fateOf: () => 'unknown',
    notExcluded: () => [],
    reserve: (owner, total, feeFor) => this.#at('reserve', async () => this.#reserve(owner, total, feeFor)),
    most: (feeFor) => {
      const held = new Set([...this.reservations.values()].flat().map(formatOutpoint));
      const free = [...this.#own()].filter((coin) => !held.has(formatOutpoint(coin)));
      const values = free.map(({ satoshis: value }) => value).sort((a, b) => b - a);
      const sums = values.map((_, at) => addSatoshis(...values.slice(0, at + 1)) - feeFor(at + 1));
      return Math.max(0, ...sums);
    },
    reserved: (owner) => this.reservations.get(owner) ?? [],
    release: async (owner) => {
      this.reservations.delete(owner);
    },
    sign: (unsigned, spent) =>
      this.#at('sign', async () => serializeTx(signP2pkhInputs(parseTx(unsigned), spent, key))),
    observe: (rawTx) => this.#at('observe', async () => this.#observe(rawTx)),
    follow: async () => {},
  };

  readonly merchant: BatchMerchant = {
    feeQuote: () =>
      this.#at('feeQuote', async () => {
        this.beforeQuote();
        return this.quote;
      }),
    terms: async () => (this.policy === undefined ? [] : [{ name: 'Miner', ...this.quote, policy: this.policy }]),
    submit: (rawTx) => this.#at('submit', async () => this.#submit(rawTx)),
    submitAll: (rawTxs) => this.#at('submit', async () => rawTxs.map((rawTx) => this.#outcome(rawTx))),
    status: async (txid) => {
      const height = this.blocks.findIndex(({ txids }) => txids.includes(txid));
      if (height >= 0) {
        return { known: true, blockHash: this.blocks[height]?.hash ?? null, blockHeight: height };
      }
      return this.mempool.has(txid)
        ? { known: true, blockHash: null, blockHeight: null }
        : { known: false, reason: 'No such mempool or blockchain transaction' };
    },
  };

  async #at<T>(place: Place, act: () => Promise<T>): Promise<T> {
    const frozen = this.#freeze;
    if (frozen?.place !== place) return act();
    if (frozen.when === 'after') await act();
    this.#freeze = undefined;
    this.#frozen();
    return new Promise(() => {});
  }

  #outcome(rawTx: Uint8Array): PlanchetError | undefined {
    try {
      this.#submit(rawTx);
      return undefined;
    } catch (error) {
      if (error instanceof PlanchetError && error.code === 'rejected') return error;
      throw error;
    }
  }

  /** Gives somebody a coin. */
  grant(lockingScript: Uint8Array, value: number): Utxo {
    this.#granted += 1;
    const txid = this.#granted.toString(16).padStart(64, 'e');
    const coin = { txid, vout: 0, satoshis: satoshis(value), lockingScript };
    this.putCoin(coin);
    this.#known.add(txid);
    return coin;
  }

  /** Hands a transaction to the miner. @returns why it was refused, where it was */
  take(rawTx: Uint8Array): string | undefined {
    return this.#outcome(rawTx)?.message;
  }

  *#own(): Generator<FundingUtxo> {
    for (const coin of this.coins.values()) {
      const funding = asFundingUtxo(coin);
      if (funding && toHex(coin.lockingScript) === toHex(ownScript) && this.#known.has(coin.txid)) yield funding;
    }
  }

  #mint(index: number, value: number): void {
    const txid = (index + 1).toString(16).padStart(64, '0');
    this.putCoin({ txid, vout: 0, satoshis: satoshis(value), lockingScript: ownScript });
    this.#known.add(txid);
  }

  #reserve(owner: string, total: Satoshis, feeFor: (inputs: number) => Satoshis): FundingUtxo[] {
    const elsewhere = [...this.reservations].filter(([other]) => other !== owner).flatMap(([, coins]) => coins);
    const taken = new Set(elsewhere.map(formatOutpoint));
    const chosen: FundingUtxo[] = [];
    for (const coin of this.#own()) {
      if (taken.has(formatOutpoint(coin))) continue;
      chosen.push(coin);
      if (addSatoshis(...chosen.map((one) => one.satoshis)) >= total + feeFor(chosen.length)) {
        this.reservations.set(owner, chosen);
        return chosen;
      }
    }
    const needed = total + feeFor(chosen.length);
    const { spendable } = this.wallet.balance();
    throw new PlanchetError({
      code: 'funds-insufficient',
      message: `${needed} satoshis are needed.`,
      detail: { needed, spendable },
    });
  }

  /** As a miner does: known inputs, valid scripts, enough fee. */
  #submit(rawTx: Uint8Array): { txid: string } {
    this.submissions += 1;
    this.beforeSubmit();
    const txid = txidOf(rawTx);
    if (this.mempool.has(txid) || this.mined.has(txid)) return { txid };
    const tx = parseTx(rawTx);
    const spent = tx.inputs.map((input) => this.coins.get(formatOutpoint(input)));
    if (!spent.every((coin) => coin !== undefined)) {
      // What the network forgot is missing as what never was.
      const isSpent = tx.inputs.some((input) => this.isSpent(formatOutpoint(input)));
      const message = isSpent ? 'tx rejected: double spent' : 'Missing inputs';
      throw new PlanchetError({ code: 'rejected', message });
    }
    const paid =
      addSatoshis(...spent.map((coin) => coin.satoshis)) - addSatoshis(...tx.outputs.map((out) => out.satoshis));
    if (paid < requiredFee(tx, this.quote))
      throw new PlanchetError({ code: 'rejected', message: 'insufficient priority' });
    if (!verifyScripts(tx, spent).ok)
      throw new PlanchetError({ code: 'rejected', message: 'mandatory-script-verify-flag-failed' });
    for (const input of tx.inputs) this.coins.delete(formatOutpoint(input));
    for (const [vout, { satoshis: value, script }] of tx.outputs.entries()) {
      this.putCoin({ txid, vout, satoshis: value, lockingScript: script });
    }
    this.mempool.set(txid, rawTx);
    this.afterSubmit();
    return { txid };
  }

  #observe(rawTx: Uint8Array): void {
    this.#known.add(txidOf(rawTx));
    const spent = new Set(parseTx(rawTx).inputs.map(formatOutpoint));
    for (const [owner, coins] of this.reservations) {
      if (coins.some((coin) => spent.has(formatOutpoint(coin)))) this.reservations.delete(owner);
    }
  }
}
