import type { Contract, Serves, TokenMove, WalletSend, WalletSendRequest } from '../../contract/index.ts';
import type { Accounts } from './accounts/accounts.ts';
import { tokensOf } from './sending/send-draft.ts';
import type { WalletRecords } from './wallet-records.ts';

/** Payments of all accounts. */
export class WalletSends implements Serves<Contract['wallet']['send']> {
  readonly #accounts: Accounts;
  readonly #records: WalletRecords;
  readonly #used: () => void;

  /** @param used called when a person uses the wallet */
  constructor(accounts: Accounts, records: WalletRecords, used: () => void) {
    this.#accounts = accounts;
    this.#records = records;
    this.#used = used;
  }

  /** Tokens are sent by the account that has them, money by the active one. */
  prepare(input: { request: WalletSendRequest; idempotencyKey: string }): Promise<WalletSend> {
    this.#used();
    const tokens = tokensOf(input.request);
    const { active } = this.#accounts;
    return (tokens.length === 0 ? active : this.#accounts.holding(tokens)).payments.prepare(input);
  }

  /** Sends many tokens, each to an address of its own, by the account that has them all. */
  prepareTokens(input: { moves: readonly TokenMove[]; idempotencyKey: string }): Promise<WalletSend> {
    this.#used();
    const { payments } = this.#accounts.holding(input.moves.map(({ outpoint }) => outpoint));
    return payments.prepareTokens(input);
  }

  /** The label of the request becomes the label of its transaction. */
  async approve(input: { id: string; digest: string }): Promise<WalletSend> {
    this.#used();
    const { payments } = await this.#accounts.ofPayment(input.id);
    const send = await payments.approve(input);
    const { request, transactions = [send] } = send;
    if (request.label === undefined) return send;
    const labels = await this.#records.labels();
    for (const { txid } of transactions) {
      const subject = `tx:${txid}`;
      // Approved again, it keeps the label that a person has given it since.
      if (txid !== null && !labels.has(subject)) await this.#records.setLabel(subject, request.label);
    }
    return send;
  }

  async pause(input: { id: string }): Promise<WalletSend> {
    return (await this.#accounts.ofPayment(input.id)).payments.pause(input);
  }

  async cancel(input: { id: string }): Promise<WalletSend> {
    return (await this.#accounts.ofPayment(input.id)).payments.cancel(input);
  }

  async retry(input: { id: string }): Promise<WalletSend> {
    return (await this.#accounts.ofPayment(input.id)).payments.retry(input);
  }

  async get({ id }: { id: string }): Promise<WalletSend> {
    return (await this.#accounts.ofPayment(id)).payments.get(id);
  }

  list(): Promise<WalletSend[]> {
    return this.#accounts.active.payments.list();
  }
}
