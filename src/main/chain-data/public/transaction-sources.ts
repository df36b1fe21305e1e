import { bananaBlocksTransactions } from '../sources/bananablocks/transactions.ts';
import type { PublicSources } from '../sources/public-sources.ts';
import type { TransactionSource } from '../sources/transaction-source.ts';
import { whatsOnChainTransactions } from '../sources/whatsonchain/transactions.ts';

/** The services in use that tell of transactions, in the order in which they are asked. */
export function transactionSources(sources: PublicSources): TransactionSource[] {
  const clients = sources.clients();
  const [whatsOnChain, bananaBlocks] = [clients.get('whatsonchain'), clients.get('bananablocks')];
  return [
    ...(whatsOnChain === undefined ? [] : [whatsOnChainTransactions(whatsOnChain)]),
    ...(bananaBlocks === undefined ? [] : [bananaBlocksTransactions(bananaBlocks)]),
  ];
}
