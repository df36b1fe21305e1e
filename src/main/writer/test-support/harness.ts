import { PrivateKey } from '@bsv/sdk';
import {
  addSatoshis,
  asFundingUtxo,
  type BlockHeader,
  encodeAddress,
  type FundingUtxo,
  formatOutpoint,
  hash160,
  headerHash,
  meetsTarget,
  merkleRoot,
  p2pkhScript,
  parseTx,
  requiredFee,
  type Satoshis,
  satoshis,
  serializeBlock,
  serializeHeader,
  serializeTx,
  signP2pkhInputs,
  type Tx,
  toHex,
  txidOf,
  type Utxo,
  verifyScripts,
} from '../../../chain/index.ts';
import { type Balance, PlanchetError, type Tip, type WalletStatus } from '../../../contract/index.ts';
import { createNodeChainData, type VerifiedHeaders } from '../../chain-data/node/node-chain-data.ts';
import type { TipSource } from '../../ports/chain-data.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import type { BatchMerchant, FeeQuote, MinerPolicy } from '../../ports/merchant/merchant.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import type { FundingWallet } from '../../ports/wallet.ts';
import { SigningKey } from '../sending/data-transaction.ts';

const key = PrivateKey.fromHex('1'.padStart(64, '0'));
const publicKey = Uint8Array.from(key.toPublicKey().toDER() as number[]);
const ownHash = hash160(publicKey);
const ownScript = p2pkhScript(ownHash);
/** Private key of the writer's own coins in these tests. */
export const poolKey = Uint8Array.from(Buffer.from('2'.padStart(64, '0'), 'hex'));
const poolScript = toHex(new SigningKey(poolKey).lockingScript);
const EASY = 0x207fffff;

function spends(rawTx: Uint8Array, outpoint: string): boolean {
  return parseTx(rawTx).inputs.some((input) => formatOutpoint(input) === outpoint);
}

interface MinedBlock {
  readonly header: BlockHeader;
  readonly hash: string;
  readonly txids: readonly string[];
  readonly coinbase: Tx;
}

/** A call to a service outside the writer that never returns, once: as when the process is killed there. */
export type Place = 'feeQuote' | 'reserve' | 'sign' | 'submit' | 'observe';

/** Wallet, merchant API, node and chain around a writer under test. It outlives any number of writer processes. */
export class TestHarness {
  /** Unspent outputs of everybody, by outpoint. */
  readonly coins = new Map<string, Utxo>();
  /** What the miner took, in order, by txid. */
  readonly mempool = new Map<string, Uint8Array>();
  readonly reservations = new Map<string, FundingUtxo[]>();
  quote: FeeQuote = { standard: { satoshis: 500, bytes: 1_000 }, data: { satoshis: 500, bytes: 1_000 }, expiresAt: 0 };
  /** What the miner says it takes at most; undefined where it does not say. */
  policy: MinerPolicy | undefined;
  walletState: WalletStatus['state'] = 'ready';
  submissions = 0;
  /** The chain, from its first block. */
  blocks: MinedBlock[] = [];
  /** Everything that ever was in a block, by txid. */
  readonly mined = new Map<string, Uint8Array>();
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
  /** Every output there ever was. */
  readonly #everyCoin = new Map<string, Utxo>();
  readonly #tipListeners = new Set<(tip: Tip) => void>();
  readonly tips: TipSource = {
    current: () => null,
    onTip: (listener) => {
      this.#tipListeners.add(listener);
      return () => this.#tipListeners.delete(listener);
    },
  };

  constructor(...values: number[]) {
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
        const { hash } = this.blocks[height] as MinedBlock;
        return { known: true, blockHash: hash, blockHeight: height };
      }
      return this.mempool.has(txid)
        ? { known: true, blockHash: null, blockHeight: null }
        : { known: false, reason: 'No such mempool or blockchain transaction' };
    },
  };

  readonly node: NodeRpc = {
    call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> => this.#rpc(method, params) as T,
  };

  /** The verified headers, which follow what the harness mines and no node that lies. */
  readonly headers: VerifiedHeaders = {
    at: (height) => this.#headerAt(height),
    refresh: async () => {},
    tip: null,
  };

  readonly chainData = createNodeChainData(this.node, this.headers);

  #headerAt(height: number): ChainHeader | undefined {
    const block = this.blocks[height];
    return block && { hash: block.hash, height, header: serializeHeader(block.header) };
  }

  /** A block with everything that waits. */
  mine(): string {
    const script = Uint8Array.from(Buffer.from(`block ${this.blocks.length}`));
    const coinbase: Tx = {
      version: 1,
      inputs: [{ txid: '0'.repeat(64), vout: 0xffffffff, script, sequence: 0xffffffff }],
      outputs: [],
      lockTime: 0,
    };
    const txids = [txidOf(coinbase), ...this.mempool.keys()];
    for (const [txid, rawTx] of this.mempool) this.mined.set(txid, rawTx);
    this.mempool.clear();
    const previousHash = this.blocks.at(-1)?.hash ?? '0'.repeat(64);
    const base = {
      version: 1,
      previousHash,
      merkleRoot: merkleRoot(txids),
      // later than the one before, as a header must be
      time: Math.max(Math.floor(Date.now() / 1_000), (this.blocks.at(-1)?.header.time ?? 0) + 1),
      bits: EASY,
    };
    let header: BlockHeader = { ...base, nonce: Math.floor(Math.random() * 1e9) };
    while (!meetsTarget(headerHash(header), EASY)) header = { ...header, nonce: header.nonce + 1 };
    const block = { header, hash: headerHash(header), txids, coinbase };
    this.blocks.push(block);
    this.announce();
    return block.hash;
  }

  /** Tells of the newest block, as the follower of the tip does. */
  announce(): void {
    const block = this.blocks.at(-1);
    if (block === undefined) return;
    const tip = { hash: block.hash, height: this.blocks.length - 1, time: block.header.time * 1_000 };
    for (const listener of this.#tipListeners) listener(tip);
  }

  /** Takes the last blocks back; what they held waits again. */
  undo(count: number): void {
    for (const { txids } of this.blocks.splice(-count)) {
      for (const txid of txids) {
        const rawTx = this.mined.get(txid);
        if (rawTx) this.mempool.set(txid, rawTx);
      }
    }
    this.announce();
  }

  /** All transactions the network has, in blocks and waiting. */
  everything(): Uint8Array[] {
    const inBlocks = this.blocks.flatMap(({ txids }) => txids.flatMap((txid) => this.mined.get(txid) ?? []));
    return [...inBlocks, ...this.mempool.values()];
  }

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

  #rpc(method: string, [first, second, third]: readonly unknown[]): unknown {
    const block = this.blocks.find(({ hash }) => hash === first);
    if (method === 'gettxout') return this.#coinSeen(`${String(first)}_${String(second)}`, third !== false);
    if (method === 'getblockcount') return this.blocks.length - 1;
    if (method === 'getbestblockhash') return this.blocks.at(-1)?.hash;
    if (method === 'getmempoolinfo') return { size: this.mempool.size };
    if (method === 'getrawmempool') return [...this.mempool.keys()];
    if (method === 'getblockhash') {
      const found = this.blocks[Number(first)];
      if (!found) throw new NodeRpcError(-8, 'Block height out of range');
      return found.hash;
    }
    if (method === 'getblockheader' && block) {
      return second === false
        ? toHex(serializeHeader(block.header))
        : { height: this.blocks.indexOf(block), num_tx: block.txids.length };
    }
    if (method === 'getblock' && block) {
      const others = block.txids.flatMap((txid) => this.mined.get(txid) ?? []).map((raw) => parseTx(raw));
      const transactions = [block.coinbase, ...others];
      return second === 0 ? toHex(serializeBlock({ header: block.header, transactions })) : { tx: block.txids };
    }
    if (method === 'getrawtransaction') {
      const rawTx = this.mempool.get(String(first)) ?? this.mined.get(String(first));
      if (rawTx) return toHex(rawTx);
    }
    throw new NodeRpcError(-5, `${method} has no answer here`);
  }

  /** As `gettxout` answers: without the mempool, what waits there neither makes nor spends a coin. */
  #coinSeen(outpoint: string, withMempool: boolean): unknown {
    const coin = this.#everyCoin.get(outpoint);
    if (coin === undefined) return null;
    const inBlock = !this.mempool.has(coin.txid);
    const spentInMempool = [...this.mempool.values()].some((raw) => spends(raw, outpoint));
    const there = withMempool ? this.coins.has(outpoint) : inBlock && (spentInMempool || this.coins.has(outpoint));
    if (!there) return null;
    return {
      value: coin.satoshis / 1e8,
      confirmations: inBlock ? 1 : 0,
      scriptPubKey: { hex: toHex(coin.lockingScript) },
    };
  }

  /** Gives somebody a coin. */
  grant(lockingScript: Uint8Array, value: number): Utxo {
    this.#granted += 1;
    const txid = this.#granted.toString(16).padStart(64, 'e');
    const coin = { txid, vout: 0, satoshis: satoshis(value), lockingScript };
    this.#putCoin(coin);
    this.#known.add(txid);
    return coin;
  }

  /** Hands a transaction to the miner. @returns why it was refused, where it was */
  take(rawTx: Uint8Array): string | undefined {
    return this.#outcome(rawTx)?.message;
  }

  /** Somebody else spends a coin, with a transaction the miner takes. @returns its txid */
  spendElsewhere(outpoint: string): string {
    const coin = this.coins.get(outpoint);
    if (coin === undefined) throw new Error(`${outpoint} is spent`);
    const raw = serializeTx({
      version: 1,
      inputs: [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence: 0 }],
      outputs: [{ satoshis: coin.satoshis, script: new Uint8Array([0x51]) }],
      lockTime: 0,
    });
    this.coins.delete(outpoint);
    this.mempool.set(txidOf(raw), raw);
    return txidOf(raw);
  }

  /** The mempool drops a transaction: what it spent is free again. */
  forget(txid: string): void {
    const raw = this.mempool.get(txid);
    if (raw === undefined) throw new Error(`${txid} is not in the mempool`);
    this.mempool.delete(txid);
    const { inputs, outputs } = parseTx(raw);
    for (const vout of outputs.keys()) this.coins.delete(`${txid}_${vout}`);
    for (const input of inputs) this.#putCoin(this.#everyCoin.get(formatOutpoint(input)) as Utxo);
  }

  #putCoin(coin: Utxo): void {
    this.coins.set(formatOutpoint(coin), coin);
    this.#everyCoin.set(formatOutpoint(coin), coin);
  }

  *#own(): Generator<FundingUtxo> {
    for (const coin of this.coins.values()) {
      const funding = asFundingUtxo(coin);
      if (funding && toHex(coin.lockingScript) === toHex(ownScript) && this.#known.has(coin.txid)) yield funding;
    }
  }

  #mint(index: number, value: number): void {
    const txid = (index + 1).toString(16).padStart(64, '0');
    this.#putCoin({ txid, vout: 0, satoshis: satoshis(value), lockingScript: ownScript });
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
      const known = tx.inputs.every((input) => this.#everyCoin.has(formatOutpoint(input)));
      const message = known ? 'tx rejected: double spent' : 'Missing inputs';
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
      this.#putCoin({ txid, vout, satoshis: value, lockingScript: script });
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
