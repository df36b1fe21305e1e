import {
  answerHelp,
  answerVerifyMerkleProof,
  answerVerifyTxOutProof,
  decodeRawTransaction,
  decodeScript,
} from './local-handlers.ts';
import { type MethodRow, optional, text, value } from './method-row.ts';

const verbosity = optional(value('verbosity|verbose'));
const verbose = optional(value('verbose'));
const stats = optional(value('stats', '["stat",...]'));
const includeMempool = optional(value('include_mempool'));

/**
 * The commands of spec section 4.5, one row each. To add a command, add a row. Parameter names are the node's own tables, with their two
 * oddities: `getblockbyheight` calls its height `blockhash`, and `getmerkleproof2` lists its first two names in the opposite order to
 * the one it reads them in.
 */
export const servedMethods: Readonly<Record<string, MethodRow>> = {
  getbestblockhash: {
    category: 'Blockchain',
    parameters: [],
    summary: 'Hash of the newest block of the main chain.',
    cache: { policy: 'tip' },
    tip: 'hash',
    batched: true,
  },
  getblock: {
    category: 'Blockchain',
    parameters: [text('blockhash'), verbosity],
    summary:
      'A block: 0 or RAW_BLOCK as hex, 1 or DECODE_HEADER with txids, 2 or DECODE_TRANSACTIONS with all transactions, 3 or DECODE_HEADER_AND_COINBASE with the coinbase.',
    cache: { policy: 'content', rule: 'block' },
    tip: 'header',
  },
  getblockbyheight: {
    category: 'Blockchain',
    parameters: [value('blockhash', 'height'), verbosity],
    summary: 'A block by its height on the main chain, in the forms of getblock.',
    cache: { policy: 'content', rule: 'block-by-height' },
    tip: 'header',
  },
  getblockchaininfo: {
    category: 'Blockchain',
    parameters: [],
    summary: 'State of the chain.',
    cache: { policy: 'tip' },
    tip: 'blocks',
  },
  getblockcount: {
    category: 'Blockchain',
    parameters: [],
    summary: 'Height of the newest block of the main chain.',
    cache: { policy: 'tip' },
    tip: 'height',
    batched: true,
  },
  getblockhash: {
    category: 'Blockchain',
    parameters: [value('height')],
    summary: 'Hash of the block at a height of the main chain.',
    cache: { policy: 'content', rule: 'hash-at-height' },
    batched: true,
  },
  getblockheader: {
    category: 'Blockchain',
    parameters: [text('blockhash'), verbosity],
    summary:
      'Header of a block: 0 or RAW_HEADER as hex, 1 or DECODE_HEADER as an object, 2 or DECODE_HEADER_EXTENDED with the coinbase and its proof.',
    cache: { policy: 'content', rule: 'block' },
    tip: 'header',
    batched: true,
  },
  getblockstats: {
    category: 'Blockchain',
    parameters: [text('blockhash'), stats],
    summary: 'Statistics of a block: fees, sizes, counts.',
    cache: { policy: 'content', rule: 'stats' },
  },
  getblockstatsbyheight: {
    category: 'Blockchain',
    parameters: [value('height'), stats],
    summary: 'Statistics of a block by its height on the main chain.',
    cache: { policy: 'content', rule: 'stats-by-height' },
  },
  getchaintips: {
    category: 'Blockchain',
    parameters: [],
    summary: 'Ends of all known branches, highest first.',
    cache: { policy: 'tip' },
  },
  getchaintxstats: {
    category: 'Blockchain',
    parameters: [optional(value('nblocks')), optional(text('blockhash'))],
    summary: 'Number and rate of transactions in the chain.',
    cache: { policy: 'tip' },
  },
  getdifficulty: {
    category: 'Blockchain',
    parameters: [],
    summary: 'Proof-of-work difficulty as a multiple of the least of the main network.',
    cache: { policy: 'tip' },
    batched: true,
  },
  getmempoolancestors: {
    category: 'Blockchain',
    parameters: [text('txid'), verbose],
    summary: 'Transactions of the mempool that this one builds on.',
    cache: { policy: 'tip' },
  },
  getmempooldescendants: {
    category: 'Blockchain',
    parameters: [text('txid'), verbose],
    summary: 'Transactions of the mempool that build on this one.',
    cache: { policy: 'tip' },
  },
  getmempoolentry: {
    category: 'Blockchain',
    parameters: [text('txid')],
    summary: 'What the mempool knows of a transaction.',
    cache: { policy: 'tip' },
    batched: true,
  },
  getmempoolinfo: {
    category: 'Blockchain',
    parameters: [],
    summary: 'Size and limits of the mempool.',
    cache: { policy: 'tip' },
    batched: true,
  },
  getmerkleproof: {
    category: 'Blockchain',
    parameters: [text('txid'), optional(text('blockhash'))],
    summary: 'Merkle proof of a mined transaction against its header. Deprecated: use getmerkleproof2.',
    cache: { policy: 'content', rule: 'merkle-proof' },
    tip: 'target',
  },
  getmerkleproof2: {
    category: 'Blockchain',
    parameters: [
      value('txid', '"blockhash"'),
      value('blockhash', '"txid"'),
      optional(value('includeFullTx')),
      optional(text('targetType')),
      optional(text('format')),
    ],
    summary:
      'Merkle proof of a mined transaction in the TSC form. An empty blockhash finds the block. targetType is hash, header or merkleroot; format is json.',
    cache: { policy: 'content', rule: 'tsc-proof' },
  },
  getrawmempool: {
    category: 'Blockchain',
    parameters: [verbose],
    summary: 'Txids of the mempool, or an object that describes each.',
    cache: { policy: 'tip' },
  },
  getrawnonfinalmempool: {
    category: 'Blockchain',
    parameters: [],
    summary: 'Txids that wait for their lock time.',
    cache: { policy: 'tip' },
  },
  gettxout: {
    category: 'Blockchain',
    parameters: [text('txid'), value('n'), includeMempool],
    summary: 'An unspent output, or null.',
    tip: 'bestblock',
    batched: true,
  },
  gettxoutproof: {
    category: 'Blockchain',
    parameters: [value('txids', '["txid",...]'), optional(text('blockhash'))],
    summary: 'Proof, as a serialised merkle block in hex, that transactions are in a block.',
    cache: { policy: 'content', rule: 'txout-proof' },
  },
  gettxouts: {
    category: 'Blockchain',
    parameters: [
      value('txids_vouts', '[{"txid":"id","n":n},...]'),
      value('return_fields', '["field",...]'),
      includeMempool,
    ],
    summary:
      'Many outputs at once; fields are scriptPubKey, scriptPubKeyLen, value, isStandard, confirmations, or "*" for all.',
  },
  gettxoutsetinfo: {
    category: 'Blockchain',
    parameters: [],
    summary: 'Figures of all unspent outputs. Reads them all, so it is slow on a long chain.',
  },
  verifymerkleproof: {
    category: 'Blockchain',
    parameters: [
      value('proof', '{"flags":2,"index":n,"txOrId":"txid","target":{"merkleroot":"hash"},"nodes":["hash",...]}'),
    ],
    summary: 'Whether a proof of getmerkleproof leads to the Merkle root of its target.',
    largeParameters: true,
    local: { answer: answerVerifyMerkleProof },
  },
  verifytxoutproof: {
    category: 'Blockchain',
    parameters: [text('proof')],
    summary: 'Txids that a proof of gettxoutproof shows, none where it is wrong.',
    largeParameters: true,
    local: { answer: answerVerifyTxOutProof },
  },
  decoderawtransaction: {
    category: 'Rawtransactions',
    parameters: [text('hexstring')],
    summary: 'A raw transaction as an object.',
    chainless: true,
    largeParameters: true,
    local: { decode: decodeRawTransaction },
  },
  decodescript: {
    category: 'Rawtransactions',
    parameters: [text('hexstring')],
    summary: 'A locking script as an object.',
    chainless: true,
    largeParameters: true,
    local: { decode: decodeScript },
  },
  getrawtransaction: {
    category: 'Rawtransactions',
    parameters: [text('txid'), verbose],
    summary: 'A transaction of the mempool or the chain, as hex or as an object.',
    cache: { policy: 'content', rule: 'transaction' },
    tip: 'transaction',
  },
  getnetworkinfo: {
    category: 'Network',
    parameters: [],
    summary: 'State of the connections to other nodes. The sandbox has none.',
    chainless: true,
  },
  getinfo: { category: 'Control', parameters: [], summary: 'State of the node.', tip: 'blocks' },
  help: {
    category: 'Control',
    parameters: [optional(text('command'))],
    summary: 'All commands, or how one is used.',
    chainless: true,
    local: { answer: answerHelp },
  },
};
