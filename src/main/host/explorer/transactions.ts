import type { Contract, Network, Serves } from '../../../contract/index.ts';
import { ancestorsOf, formsOf, type TransactionSources } from './forms.ts';
import { type SpenderSources, spendersOf } from './spenders.ts';

type Transactions = Serves<Contract['transactions']>;

interface TransactionOptions {
  /** Asked for each time: the sandbox's node is there once it was started. */
  readonly sources: () => SpenderSources & TransactionSources;
  /** What shows a transaction, and what is inscribed in it. */
  readonly view: Pick<Transactions, 'get' | 'content'>;
  readonly network: Network;
}

/** A transaction for the page, whoever sent it. */
export function createTransactions({ view, network, sources }: TransactionOptions): Transactions {
  return {
    ...view,
    spenders: (input) => spendersOf(sources(), input),
    ancestors: ({ txid }, signal) => ancestorsOf(sources(), txid, signal),
    forms: ({ txid }, signal) => formsOf(sources(), { txid, network }, signal),
  };
}
