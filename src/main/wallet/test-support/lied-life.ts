import type { PrivateKey } from '@bsv/sdk';
import {
  concatBytes,
  formatOutpoint,
  fromHex,
  type Outpoint,
  parseOutpoint,
  parseTx,
  pushData,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  toHex,
  txidOf,
  type Utxo,
} from '../../../chain/index.ts';
import { createSourceClient, type SourceClient } from '../../chain-data/sources/http/source-client.ts';
import { systemClock } from '../../clock.ts';
import { type Coin, output, payment } from '../../sandbox/test-support/merchant.ts';
import type { TestSandbox } from '../../sandbox/test-support/open-sandbox.ts';
import { INSCRIBED } from './inscribed.ts';
import { FOREIGN_SCRIPT } from './test-node.ts';
import type { WalletOfServices } from './wallet-of-services.ts';

const FEE = 1_000;
/** Coins of whoever pays the wallet, made at once. */
const PAYER_COINS = 60;
const PAYER_COIN = 100_000;

/** An output of the wallet's keys that the node has, and nothing spends. */
export interface TrueCoin {
  readonly outpoint: string;
  readonly satoshis: number;
  /** Of its block; null while it waits. */
  readonly height: number | null;
  readonly isToken: boolean;
}

/** What happens to a wallet, by true bookkeeping: what was ever made, and what the node has of it now. */
export class LiedLife {
  readonly #sandbox: TestSandbox;
  readonly #services: WalletOfServices;
  readonly #random: () => number;
  readonly #woc: SourceClient;
  /** All transactions that concern the wallet, also those that no node has any more. */
  readonly made = new Map<string, Tx>();
  #payerCoins: Coin[] = [];
  /** Payments that may still be taken back, with the coin that they spend. */
  #taken: { readonly coin: Coin; readonly atHeight: number }[] = [];
  reorganisations = 0;

  constructor(sandbox: TestSandbox, services: WalletOfServices, random: () => number) {
    this.#sandbox = sandbox;
    this.#services = services;
    this.#random = random;
    this.#woc = createSourceClient({
      operator: 'whatsonchain',
      baseUrl: `${sandbox.root}/woc/v1/bsv/test`,
      clock: { now: () => sandbox.clock.now(), after: systemClock.after },
      minIntervalMs: 0,
    });
  }

  /** One thing happens. */
  async step(): Promise<void> {
    const at = this.#random();
    if (at < 0.22) await this.#pay(false);
    else if (at < 0.34) await this.#pay(true);
    else if (at < 0.46) await this.#spendHere();
    else if (at < 0.54) await this.#spendElsewhere();
    else if (at < 0.6) await this.#sendTokenElsewhere();
    else if (at < 0.85) await this.mine();
    else if (at < 0.96) await this.#reorganise();
    else await this.#takeBack();
  }

  async mine(blocks = 1): Promise<void> {
    await this.#sandbox.service.mine({ blocks });
  }

  /** What the wallet should have. */
  async truth(): Promise<TrueCoin[]> {
    const { node } = this.#sandbox.service;
    const outpoints: { outpoint: string; satoshis: number; txid: string }[] = [];
    for (const [txid, tx] of this.made)
      for (const [vout, { script, satoshis: value }] of tx.outputs.entries())
        if (this.#isOurs(script)) outpoints.push({ outpoint: formatOutpoint({ txid, vout }), satoshis: value, txid });
    const spent = await node.spenders(outpoints.map(({ outpoint }) => outpoint));
    const found: TrueCoin[] = [];
    for (const one of outpoints) {
      if (spent.has(one.outpoint)) continue;
      const there = await node.transaction(one.txid);
      if (there === undefined) continue;
      found.push({
        outpoint: one.outpoint,
        satoshis: one.satoshis,
        height: there.blockHeight,
        isToken: one.satoshis === 1,
      });
    }
    return found.sort((a, b) => a.outpoint.localeCompare(b.outpoint));
  }

  #isOurs(script: Uint8Array): boolean {
    return toHex(script).includes(this.#services.wallet.keys.key.pubKeyHash);
  }

  async #pay(token: boolean): Promise<void> {
    const coin = await this.#payerCoin();
    const { wallet } = this.#services;
    const script = token
      ? (INSCRIBED.before as (key: string) => Uint8Array)(wallet.publicKey())
      : wallet.lockingScript();
    const value = token ? 1 : 10_000 + Math.floor(this.#random() * 50_000);
    const paid = output(value, script);
    const raw = payment([coin], [paid, output(coin.satoshis - value - FEE)]);
    if (!(await this.#submit(raw))) return;
    this.#taken.push({ coin, atHeight: this.#sandbox.service.node.tip().height });
  }

  /** A payment of this installation, over a service that may only say that it took it. */
  async #spendHere(): Promise<void> {
    const { coinStore, wallet } = this.#services;
    const coins = [...coinStore.coins.values()].filter(({ kind, spentBy }) => kind === 'funding' && spentBy === null);
    const coin = this.#pick(coins);
    if (coin === undefined) return;
    const raw = this.#signed(coin, coin.satoshis);
    const answer = await this.#woc.post(
      '/tx/raw',
      { txhex: toHex(raw) },
      { kind: 'text', limitBytes: 1_000, deadlineMs: 15_000 },
    );
    this.#note(raw);
    if (answer.state === 'present' && answer.value.includes(txidOf(raw))) await wallet.observe(raw);
  }

  /** The same keys in another place spend money. */
  async #spendElsewhere(): Promise<void> {
    const coin = this.#pick((await this.truth()).filter(({ isToken }) => !isToken));
    if (coin !== undefined) await this.#submit(this.#signed(parseOutpoint(coin.outpoint), coin.satoshis));
  }

  async #sendTokenElsewhere(): Promise<void> {
    const all = await this.truth();
    const token = this.#pick(all.filter(({ isToken }) => isToken));
    const money = this.#pick(all.filter(({ isToken }) => !isToken));
    if (token === undefined || money === undefined) return;
    const inputs = [token, money].map((one) => parseOutpoint(one.outpoint));
    const [tokenSpent, moneySpent] = inputs.map((one) => this.#utxo(one)) as [Utxo, Utxo];
    const unsigned: Tx = {
      version: 1,
      inputs: inputs.map((one) => ({ ...one, script: new Uint8Array(), sequence: 0xffffffff })),
      outputs: [
        { satoshis: satoshis(1), script: FOREIGN_SCRIPT },
        output(money.satoshis - FEE, this.#services.wallet.lockingScript()),
      ],
      lockTime: 0,
    };
    const { wallet } = this.#services;
    const scripts = await Promise.all(
      [tokenSpent, moneySpent].map(async (spent, index) => {
        const signature = await wallet.signInput(serializeTx(unsigned), index, spent);
        return concatBytes(pushData(signature), pushData(fromHex(wallet.publicKey())));
      }),
    );
    const signed = unsigned.inputs.map((input, index) => ({ ...input, script: scripts[index] as Uint8Array }));
    await this.#submit(serializeTx({ ...unsigned, inputs: signed }));
  }

  async #reorganise(): Promise<void> {
    const depth = Math.min(1 + Math.floor(this.#random() * 3), this.#sandbox.service.node.tip().height - 110);
    if (depth < 1) return;
    await this.#sandbox.service.reorg({ depth });
    this.reorganisations += 1;
  }

  /** Who paid the wallet has another transaction mined that spends the same coin, and so nobody paid. */
  async #takeBack(): Promise<void> {
    const { node } = this.#sandbox.service;
    const { height } = node.tip();
    this.#taken = this.#taken.filter(({ atHeight }) => atHeight > height - 4);
    const taken = this.#taken.pop();
    if (taken === undefined) return;
    const depth = Math.max(1, height - taken.atHeight);
    const raw = payment([taken.coin], [output(taken.coin.satoshis - 2 * FEE)]);
    await node.reorg(depth, { transactions: [raw] });
    this.reorganisations += 1;
  }

  #signed(outpoint: Outpoint, value: number): Uint8Array {
    const { wallet } = this.#services;
    const isWhole = this.#random() < 0.4 || value < 5 * FEE;
    const outputs = isWhole
      ? [output(value - FEE, FOREIGN_SCRIPT)]
      : [output(2 * FEE, FOREIGN_SCRIPT), output(value - 3 * FEE, wallet.lockingScript())];
    const { txid, vout } = outpoint;
    const inputs = [{ txid, vout, script: new Uint8Array(), sequence: 0xffffffff }];
    const tx: Tx = { version: 1, inputs, outputs, lockTime: 0 };
    return serializeTx(signP2pkhInputs(tx, [this.#utxo(outpoint)], wallet.keys.key.privateKey as PrivateKey));
  }

  #utxo({ txid, vout }: Outpoint): Utxo {
    const made = this.made.get(txid)?.outputs[vout];
    if (made === undefined) throw new Error(`nobody made ${txid}_${vout}`);
    return { txid, vout, satoshis: made.satoshis, lockingScript: made.script };
  }

  #note(raw: Uint8Array): void {
    this.made.set(txidOf(raw), parseTx(raw));
  }

  async #submit(raw: Uint8Array): Promise<boolean> {
    this.#note(raw);
    return (await this.#sandbox.service.node.submit(raw)).ok;
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }

  /** A coin in a block so deep that no reorganisation reaches it. */
  async #payerCoin(): Promise<Coin> {
    if (this.#payerCoins.length === 0) {
      const coin = await this.#sandbox.coin(PAYER_COINS * PAYER_COIN + 100 * FEE);
      const raw = payment(
        [coin],
        Array.from({ length: PAYER_COINS }, () => output(PAYER_COIN)),
      );
      await this.#sandbox.service.node.submit(raw);
      await this.mine(5);
      this.#payerCoins = Array.from({ length: PAYER_COINS }, (_, vout) => ({
        txid: txidOf(raw),
        vout,
        satoshis: PAYER_COIN,
      }));
    }
    return this.#payerCoins.pop() as Coin;
  }
}

/** Whether a transaction spends an output. */
export function spendsOutput(tx: Tx | undefined, outpoint: string): boolean {
  return tx?.inputs.some((input) => formatOutpoint(input) === outpoint) === true;
}
