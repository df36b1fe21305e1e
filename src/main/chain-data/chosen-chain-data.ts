import type { ArrivalListener, ChainData } from '../ports/chain-data.ts';

/**
 * Asks whoever is chosen when a question comes: a setting may change it while the program runs.
 * @param onTransaction of the only one that tells of transactions by itself
 */
export function chosenChainData(
  chosen: () => ChainData,
  onTransaction: (listener: ArrivalListener) => () => void,
): ChainData {
  return {
    get name() {
      return chosen().name;
    },
    get withoutLists() {
      return chosen().withoutLists === true;
    },
    get beside() {
      return chosen().beside;
    },
    get alone() {
      return chosen().alone;
    },
    until: (signal) => chosen().until(signal),
    tip: () => chosen().tip(),
    hashAt: (height) => chosen().hashAt(height),
    headerAt: (height) => chosen().headerAt(height),
    header: (hash) => chosen().header(hash),
    headerAnywhere: (hash) => chosen().headerAnywhere(hash),
    totals: (hash) => chosen().totals(hash),
    listing: (block) => chosen().listing(block),
    coinbase: (hash) => chosen().coinbase(hash),
    search: (block, sought) => chosen().search(block, sought),
    holds: (block) => chosen().holds(block),
    transaction: (txid) => chosen().transaction(txid),
    transactions: (txids) => chosen().transactions(txids),
    placed: (txid, known) => chosen().placed(txid, known),
    placeOf: (txid, known) => chosen().placeOf(txid, known),
    inclusion: (txid, hash, known) => chosen().inclusion(txid, hash, known),
    output: (outpoint) => chosen().output(outpoint),
    outputs: (outpoints, what) => chosen().outputs(outpoints, what),
    claimedSpent: (outpoints) => chosen().claimedSpent(outpoints),
    spends: (outpoint) => chosen().spends(outpoint),
    history: (keys, awaited) => chosen().history(keys, awaited),
    onTransaction,
    mempool: (most) => chosen().mempool(most),
    waiting: (most) => chosen().waiting(most),
    isInMempool: (txid) => chosen().isInMempool(txid),
    unminedAncestors: (txid) => chosen().unminedAncestors(txid),
  };
}
