import { amount, type RpcValue } from '../../../../node-format/json.ts';
import { asHash, failure, optionalBoolean } from '../../../../node-format/params.ts';
import { policy } from '../../consensus/consensus.ts';
import type { MempoolEntry } from '../../mempool/mempool-entry.ts';
import type { SandboxNode } from '../../node.ts';
import { mempoolEntryView } from '../views.ts';
import type { Commands } from './command.ts';

function requireEntry(node: SandboxNode, txid: unknown): MempoolEntry {
  const entry = node.mempool.get(asHash(txid, 'parameter 1'));
  if (entry === undefined) throw failure('notFound', 'Transaction not in mempool');
  return entry;
}

function listed(node: SandboxNode, entries: Iterable<MempoolEntry>, verbose: boolean): RpcValue {
  const all = [...entries];
  if (!verbose) return all.map(({ txid }) => txid);
  return Object.fromEntries(all.map((entry) => [entry.txid, mempoolEntryView(node, entry)]));
}

function relatives(node: SandboxNode, params: readonly unknown[], which: 'ancestors' | 'descendants'): RpcValue {
  const [txid, verbose] = params;
  const detailed = optionalBoolean(verbose, false);
  return listed(node, node.mempool[which](requireEntry(node, txid)), detailed);
}

export const mempoolCommands: Commands = {
  getmempoolinfo: {
    run: (node) => ({
      size: node.mempool.size,
      journalsize: node.mempool.size,
      nonfinalsize: node.nonFinal.size,
      bytes: node.mempool.bytes,
      usage: node.mempool.bytes,
      usagedisk: 0,
      usagecpfp: node.mempool.unpaidBytes,
      nonfinalusage: node.nonFinal.bytes,
      maxmempool: node.limits.maxBytes,
      maxmempoolsizedisk: 0,
      // the node reserves a tenth for transactions too cheap to mine
      maxmempoolsizecpfp: node.limits.maxBytes / 10,
      mempoolminfee: amount(policy.relayFee.satoshis),
    }),
  },
  getrawmempool: {
    streamed: true,
    run: (node, [verbose]) => listed(node, node.mempool.entries(), optionalBoolean(verbose, false)),
  },
  getrawnonfinalmempool: {
    streamed: true,
    run: (node) => [...node.nonFinal.entries()].map(({ txid }) => txid),
  },
  getmempoolentry: {
    streamed: true,
    run: (node, [txid]) => mempoolEntryView(node, requireEntry(node, txid)),
  },
  getmempoolancestors: { streamed: true, run: (node, params) => relatives(node, params, 'ancestors') },
  getmempooldescendants: { streamed: true, run: (node, params) => relatives(node, params, 'descendants') },
};
