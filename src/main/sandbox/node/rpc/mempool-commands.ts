import { policy } from '../consensus.ts';
import type { MempoolEntry } from '../mempool.ts';
import type { SandboxNode } from '../node.ts';
import type { Command } from './command.ts';
import { amount, type RpcValue } from './json.ts';
import { asHash, failure, optionalBoolean } from './params.ts';
import { mempoolEntryView } from './views.ts';

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

export const mempoolCommands: readonly Command[] = [
  {
    name: 'getmempoolinfo',
    category: 'Blockchain',
    params: [],
    required: 0,
    usage: '',
    summary: 'Size and limits of the mempool.',
    run: (node) => ({
      size: node.mempool.size,
      journalsize: node.mempool.size,
      nonfinalsize: node.nonFinal.size,
      bytes: node.mempool.bytes,
      usage: node.mempool.bytes,
      usagedisk: 0,
      usagecpfp: 0,
      nonfinalusage: node.nonFinal.bytes,
      maxmempool: policy.maxMempoolBytes,
      maxmempoolsizedisk: 0,
      // the node keeps a tenth for transactions too cheap to mine
      maxmempoolsizecpfp: policy.maxMempoolBytes / 10,
      mempoolminfee: amount(policy.relayFee.satoshis),
    }),
  },
  {
    name: 'getrawmempool',
    category: 'Blockchain',
    params: ['verbose'],
    required: 0,
    usage: '( verbose )',
    summary: 'Txids of the mempool, or an object that describes each.',
    streamed: true,
    run: (node, [verbose]) => listed(node, node.mempool.entries(), optionalBoolean(verbose, false)),
  },
  {
    name: 'getrawnonfinalmempool',
    category: 'Blockchain',
    params: [],
    required: 0,
    usage: '',
    summary: 'Txids that wait for their lock time.',
    streamed: true,
    run: (node) => [...node.nonFinal.entries()].map(({ txid }) => txid),
  },
  {
    name: 'getmempoolentry',
    category: 'Blockchain',
    params: ['txid'],
    required: 1,
    usage: '"txid"',
    summary: 'What the mempool knows of a transaction.',
    streamed: true,
    run: (node, [txid]) => mempoolEntryView(node, requireEntry(node, txid)),
  },
  {
    name: 'getmempoolancestors',
    category: 'Blockchain',
    params: ['txid', 'verbose'],
    required: 1,
    usage: '"txid" ( verbose )',
    summary: 'Transactions of the mempool that this one builds on.',
    streamed: true,
    run: (node, [txid, verbose]) => {
      const detailed = optionalBoolean(verbose, false);
      return listed(node, node.mempool.ancestors(requireEntry(node, txid)), detailed);
    },
  },
  {
    name: 'getmempooldescendants',
    category: 'Blockchain',
    params: ['txid', 'verbose'],
    required: 1,
    usage: '"txid" ( verbose )',
    summary: 'Transactions of the mempool that build on this one.',
    streamed: true,
    run: (node, [txid, verbose]) => {
      const detailed = optionalBoolean(verbose, false);
      return listed(node, node.mempool.descendants(requireEntry(node, txid)), detailed);
    },
  },
];
