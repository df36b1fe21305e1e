import {
  type FundingUtxo,
  formatOutpoint,
  MAX_SATOSHIS,
  parseOutpoint,
  type Rate,
  satoshis,
  type Utxo,
} from '../../../chain/index.ts';
import { type Network, PlanchetError, type WalletSendRequest } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import { sumOf } from '../coins/coin-selection.ts';
import { wholeUtxo } from '../coins/long-scripts.ts';
import { openOf } from '../coins/signed-spends.ts';
import { candidatesOf, tooLittle } from '../coins/spendable.ts';
import type { Wallet } from '../wallet.ts';
import { namedTotal, paymentFee, tokensOf, tokenTotal } from './send-draft.ts';
import { requestOf } from './send-journal.ts';
import type { SendRow } from './series.ts';
import { isMovable } from './spending-limits.ts';

const COMPRESSED_BYTES = 33;

export interface PaymentCoinsOptions {
  network: Network;
  wallet: Wallet;
  chainData: ChainData;
  /** The name under which a payment reserves coins. @param id of the payment */
  ownerOf: (id: string) => string;
}

/** The coins and tokens that payments hold. */
export class PaymentCoins {
  readonly #options: PaymentCoinsOptions;

  constructor(options: PaymentCoinsOptions) {
    this.#options = options;
  }

  /** Holds the coins that were chosen, or all, or as many as the payment needs. */
  async reserve(
    id: string,
    request: WalletSendRequest,
    rate: Rate,
    replaces: readonly string[],
  ): Promise<FundingUtxo[]> {
    const { wallet, network } = this.#options;
    const { coinStore } = wallet.open();
    const owner = this.#options.ownerOf(id);
    const named = namedTotal(request) - tokenTotal(request);
    const feeFor = paymentFee(request, rate, this.longer());
    if (request.coins === undefined && named <= MAX_SATOSHIS)
      return wallet.reserve(owner, satoshis(named), feeFor, { replaces });
    const candidates = candidatesOf(coinStore, owner, 'all', openOf(coinStore, [owner, ...replaces]));
    if (request.coins === undefined) throw tooLittle(candidates, named + feeFor(1), wallet.address(), network);
    const free = new Map(candidates.map(({ coin }) => [formatOutpoint(coin), coin]));
    const wanted = request.coins;
    for (const outpoint of wanted) {
      const coin = coinStore.coins.get(outpoint);
      if (coin && coin.spentBy === null && coinStore.holderOf(outpoint) === undefined && !free.has(outpoint)) {
        throw new PlanchetError('wallet.send-not-money', { outpoint });
      }
    }
    await wallet.hold(owner, wanted.map(parseOutpoint), { replaces });
    const coins = wanted.flatMap((outpoint) => free.get(outpoint) ?? []);
    if (coins.length === 0 || sumOf(coins) < named) {
      const chosen = coins.map((coin) => ({ coin, confirmed: true }));
      throw tooLittle(chosen, named + feeFor(Math.max(1, coins.length)), wallet.address(), network);
    }
    return coins;
  }

  /**
   * Holds the tokens that are moved, all or none.
   * @returns them in the order of the request
   * @throws PlanchetError `invalid-input` where one is none, `conflict` where one is in use
   */
  async holdTokens(id: string, request: WalletSendRequest, replaces: readonly string[]): Promise<Utxo[]> {
    const wanted = tokensOf(request);
    if (wanted.length === 0) return [];
    const { wallet } = this.#options;
    const outputs = new Map(wallet.nonFundingOutputs().map(({ utxo }) => [formatOutpoint(utxo), utxo]));
    const tokens = wanted.map((outpoint, index) => {
      const utxo = outputs.get(outpoint);
      if (utxo === undefined || !isMovable(utxo, wallet.keys.key))
        throw new PlanchetError('wallet.send-no-token', { outpoint });
      if (utxo.satoshis !== request.to[index]?.satoshis) throw new PlanchetError('wallet.send-one-satoshi');
      return utxo;
    });
    await wallet.hold(this.#options.ownerOf(id), tokens, { replaces });
    return tokens;
  }

  /** The tokens that are held for a payment, in the order of the request. */
  heldTokens(id: string, request: WalletSendRequest): Utxo[] {
    const owner = this.#options.ownerOf(id);
    const wanted = tokensOf(request);
    if (wanted.length === 0) return [];
    const own = this.#options.wallet.nonFundingOutputs().filter((output) => output.owner === owner);
    const held = new Map(own.map(({ utxo }) => [formatOutpoint(utxo), utxo]));
    return wanted.flatMap((token) => held.get(token) ?? []);
  }

  /** The tokens that are held for a payment, each with all of its script, which its signature covers. */
  wholeTokens(row: SendRow): Promise<Utxo[]> {
    const { wallet, chainData } = this.#options;
    const { coinStore } = wallet.open();
    const coins = this.heldTokens(row.id, requestOf(row)).flatMap(
      (utxo) => coinStore.coins.get(formatOutpoint(utxo)) ?? [],
    );
    return Promise.all(coins.map((coin) => wholeUtxo(chainData, coin)));
  }

  /** The unlocking of an old imported key has a public key of 65 bytes, in place of 33. */
  longer(): number {
    return this.#options.wallet.publicKey().length / 2 - COMPRESSED_BYTES;
  }
}
