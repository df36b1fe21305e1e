import type { Answer, ChainData } from '../ports/chain-data.ts';
import { unknown } from './answers.ts';
import { isLackOfCommand } from './node/node-calls.ts';

type Ask<T> = (chain: ChainData) => Promise<Answer<T>>;

/**
 * A node, and public services for what it cannot answer: it may be pruned, without an index of transactions, or lack a command. Blocks, headers,
 * the mempool and which outputs are unspent are its own to tell.
 * @param node is asked first @param services are told only what it did not know
 */
export function bothChainData(node: ChainData, services: ChainData): ChainData {
  async function ask<T>(question: Ask<T>): Promise<Answer<T>> {
    const answer = await question(node).catch((error: unknown) => {
      if (!isLackOfCommand(error)) throw error;
      return unknown;
    });
    return answer.basis === 'unknown' ? question(services) : answer;
  }

  return {
    ...node,
    beside: services,
    alone: node,
    until: (signal) => bothChainData(node.until(signal), services.until(signal)),
    coinbase: (hash) => ask((chain) => chain.coinbase(hash)),
    transaction: (txid) => ask((chain) => chain.transaction(txid)),
    async transactions(txids) {
      const found = await node.transactions(txids);
      const missing = txids.filter((txid) => !found.has(txid));
      return missing.length === 0 ? found : new Map([...found, ...(await services.transactions(missing))]);
    },
    placed: (txid, known) => ask((chain) => chain.placed(txid, known)),
    placeOf: (txid, known) => ask((chain) => chain.placeOf(txid, known)),
    inclusion: (txid, hash, known) => ask((chain) => chain.inclusion(txid, hash, known)),
    spends: (outpoint) => services.spends(outpoint),
    isInMempool: (txid) => ask((chain) => chain.isInMempool(txid)),
    unminedAncestors: (txid) => ask((chain) => chain.unminedAncestors(txid)),
  };
}
