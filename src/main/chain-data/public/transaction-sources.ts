import { bananaBlocksTransactions } from '../sources/bananablocks/transactions.ts';
import { oneSatOutputs } from '../sources/onesat/owned-outputs.ts';
import type { PublicSources } from '../sources/public-sources.ts';
import type { HistorySource, TransactionSource } from '../sources/transaction-source.ts';
import { whatsOnChainTransactions } from '../sources/whatsonchain/transactions.ts';

const made = new WeakMap<ReturnType<PublicSources['clients']>, readonly TransactionSource[]>();

/** The services in use that tell of transactions, in the order in which they are asked: the same until the setting changes. */
export function transactionSources(sources: PublicSources): readonly TransactionSource[] {
  const clients = sources.clients();
  const known = made.get(clients) ?? sourcesOf(clients);
  made.set(clients, known);
  return known;
}

function sourcesOf(clients: ReturnType<PublicSources['clients']>): TransactionSource[] {
  const [whatsOnChain, bananaBlocks] = [clients.get('whatsonchain'), clients.get('bananablocks')];
  return [
    ...(whatsOnChain === undefined ? [] : [whatsOnChainTransactions(whatsOnChain)]),
    ...(bananaBlocks === undefined ? [] : [bananaBlocksTransactions(bananaBlocks)]),
  ];
}

/** The service in use that finds inscriptions of addresses. */
export function outputFinders(sources: PublicSources): HistorySource[] {
  const client = sources.clients().get('onesat');
  return client === undefined ? [] : [oneSatOutputs(client)];
}
