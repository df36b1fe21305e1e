import type { Logger } from 'pino';
import { equalBytes, toHex } from '../../../chain/index.ts';
import { type AppPaymentResult, type Network, PlanchetError } from '../../../contract/index.ts';
import type { BatchMerchant } from '../../ports/merchant/merchant.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { checkAddress } from '../keys/address-check.ts';
import type { Wallet } from '../wallet.ts';
import { type BeefCheckOptions, type BeefPayment, checkBeefPayment } from './beef-payment.ts';
import { ExternalKeys } from './external-keys.ts';
import { AGREE_MS, WalletApp } from './wallet-app.ts';

export interface AppPaymentsOptions extends Omit<BeefCheckOptions, 'coinStore'> {
  readonly network: Network;
  readonly accounts: Accounts;
  readonly merchant: BatchMerchant;
  readonly logger: Logger;
  /** Where the wallet app listens: a setting. */
  readonly url: () => string;
}

/** Payments from a wallet app on this machine (BRC-100) to this wallet. No index is needed: the app hands over the transaction with its proof. */
export class AppPayments {
  readonly #options: AppPaymentsOptions;
  #isAsked = false;

  constructor(options: AppPaymentsOptions) {
    this.#options = options;
  }

  /**
   * Asks the wallet app for a payment, waits until its owner agreed, checks what it hands over down to the verified headers, and takes it. What the app
   * did not send is handed to the miners.
   * @param to.address of this wallet @param to.satoshis exactly so many
   * @throws PlanchetError `conflict` while it is asked already, for another network or another wallet than the known one; `upstream-*`,
   *   `funds-insufficient` of the app; `proof-invalid` where what it hands over does not hold; `rejected` by the miners
   */
  async pay({ address, satoshis }: { address: string; satoshis: number }): Promise<AppPaymentResult> {
    const wallet = this.#walletOf(address);
    if (this.#isAsked) throw new PlanchetError('wallet.app-asked');
    this.#isAsked = true;
    try {
      return await this.#pay(wallet, address, satoshis);
    } finally {
      this.#isAsked = false;
    }
  }

  async #pay(wallet: Wallet, address: string, satoshis: number): Promise<AppPaymentResult> {
    const { network, accounts, url, logger } = this.#options;
    const { keys, coinStore } = wallet.open();
    const script = keys.all.find((key) => key.address === address)?.lockingScript as Uint8Array;
    const { keys: main } = accounts.main.wallet;
    // where the wallet app has the keys as well, only the known one is asked
    if (main instanceof ExternalKeys) await main.authenticate();
    const app = new WalletApp(url());
    const theirs = await app.chain();
    if ((theirs === 'mainnet') !== (network === 'main'))
      throw new PlanchetError('wallet.app-network', { theirs, network });
    const bytes = await app.pay({ lockingScript: toHex(script), satoshis });
    const payment = await checkBeefPayment(bytes, { ...this.#options, coinStore }, AbortSignal.timeout(AGREE_MS));
    const { txid, tx, raw } = payment;
    if (!tx.outputs.some((output) => output.satoshis === satoshis && equalBytes(output.script, script)))
      throw new PlanchetError('wallet.app-other-payment', { txid, satoshis });
    const sentBy = await this.#send(payment);
    await wallet.observe(raw);
    logger.info({ txid, satoshis, sentBy }, 'a wallet app paid');
    return { txid, satoshis, sentBy };
  }

  #walletOf(address: string): Wallet {
    const { accounts, network } = this.#options;
    checkAddress(address, network);
    const account = accounts.all.find(({ wallet }) => wallet.validateAddress(address).own);
    if (account === undefined) throw new PlanchetError('wallet.subject-missing', { subject: address });
    return account.wallet;
  }

  /** Hands a payment to the miners that the network does not have. @throws PlanchetError `rejected` */
  async #send({ txid, raw, unmined }: BeefPayment): Promise<AppPaymentResult['sentBy']> {
    const { chainData, merchant, logger } = this.#options;
    const place = await chainData.placeOf(txid).catch(() => undefined);
    if (place !== undefined && place.basis !== 'unknown') return 'app';
    const errors = await merchant.submitAll([...unmined, raw]).catch((error: unknown) => [error]);
    const failure = errors.at(-1);
    if (failure === undefined) return 'miners';
    if (failure instanceof PlanchetError && failure.code === 'rejected') throw failure;
    // the app may have sent it all the same, and the wallet looks for it in any case
    logger.warn({ err: failure, txid }, 'no miner could be handed the payment of a wallet app');
    return 'nobody';
  }
}
