import type { ConformanceChain } from './chain.ts';

/** What a call is answered with. */
type Wanted =
  /** The error's code and message, a text or how it begins. */
  | { readonly code: number; readonly message: string | RegExp }
  /** The result is of this type of shapes.ts. */
  | { readonly type: string }
  /** The result, as JSON to the byte. */
  | { readonly json: string }
  /** The result holds this. */
  | { readonly holds: object };

export interface Row {
  readonly method: string;
  readonly params: unknown;
  readonly wanted: Wanted;
}

export type Rows = (chain: ConformanceChain) => readonly Row[];

const NONE = 'ab'.repeat(32);
const P2SH = `a914${'11'.repeat(20)}87`;

const fails = (method: string, params: unknown, code: number, message: string | RegExp): Row => ({
  method,
  params,
  wanted: { code, message },
});
const shows = (method: string, params: unknown, type: string): Row => ({ method, params, wanted: { type } });
const says = (method: string, params: unknown, json: string): Row => ({ method, params, wanted: { json } });
const holds = (method: string, params: unknown, object: object): Row => ({ method, params, wanted: { holds: object } });

const notHex = (name: string, text = ''): string =>
  `${name} must be hexadecimal string (not '${text}') and length of it must be divisible by 2`;
const notLong = (name: string, length: number): string => `${name} must be of length 64 (not ${length})`;
const NOT_STRING = 'JSON value is not a string as expected';
const NOT_INTEGER = 'JSON value is not an integer as expected';
const NOT_BOOLEAN = 'JSON value is not a boolean as expected';
const NOT_ARRAY = 'JSON value is not an array as expected';
const NOT_OBJECT = 'JSON value is not an object as expected';
const OUT_OF_RANGE = 'JSON integer out of range';
const NO_BLOCK = 'Block not found';
const WRONG_COUNT = "Invalid block count: should be between 0 and the block's height - 1";

/** Reads a hash strictly (H in node-rpc.md). */
const strict = (method: string, name: string, before: readonly unknown[] = []): Row[] => [
  fails(method, [...before, 'xyz'], -8, notHex(name, 'xyz')),
  fails(method, [...before, 'abc'], -8, notHex(name, 'abc')),
  fails(method, [...before, ''], -8, notHex(name)),
  fails(method, [...before, 5], -8, notHex(name)),
  fails(method, [...before, null], -8, notHex(name)),
  fails(method, [...before, 'abcd'], -8, notLong(name, 4)),
  fails(method, [...before, `${NONE}00`], -8, notLong(name, 66)),
];

/** Takes any text for a hash (h in node-rpc.md). */
const lenient = (method: string, after: readonly unknown[] = []): Row[] => [
  fails(method, [NONE, ...after], -5, NO_BLOCK),
  fails(method, ['nonsense', ...after], -5, NO_BLOCK),
  fails(method, ['', ...after], -5, NO_BLOCK),
  fails(method, [5, ...after], -1, NOT_STRING),
  fails(method, [null, ...after], -1, NOT_STRING),
];

/** Sections 1 to 5 of node-rpc.md, command by command: what each row wants is said there, not taken from what is answered. */
export const rowsOf: Readonly<Record<string, Rows>> = {
  getbestblockhash: (c) => [says('getbestblockhash', [], `"${c.block}"`), says('getbestblockhash', {}, `"${c.block}"`)],
  getblockcount: (c) => [says('getblockcount', [], String(c.height)), says('getblockcount', null, String(c.height))],
  getblockhash: (c) => [
    says('getblockhash', [c.height], `"${c.block}"`),
    says('getblockhash', { height: 0 }, `"${c.first}"`),
    fails('getblockhash', [c.height + 1], -8, 'Block height out of range'),
    fails('getblockhash', [-1], -8, 'Block height out of range'),
    fails('getblockhash', ['1'], -1, NOT_INTEGER),
    fails('getblockhash', [null], -1, NOT_INTEGER),
    fails('getblockhash', [1.5], -1, OUT_OF_RANGE),
    fails('getblockhash', [2 ** 31], -1, OUT_OF_RANGE),
    fails('getblockhash', { hash: 1 }, -8, 'Unknown named parameter hash'),
  ],
  getblockheader: (c) => [
    shows('getblockheader', [c.block], 'HEADER'),
    shows('getblockheader', [c.block, 0], 'hex'),
    shows('getblockheader', { blockhash: c.block, verbosity: 2 }, 'FULLHEADER'),
    shows('getblockheader', [c.stale, 2], 'FULLHEADER'),
    holds('getblockheader', [c.block], { confirmations: 1, height: c.height, previousblockhash: c.lonely }),
    holds('getblockheader', [c.stale], { hash: c.stale, confirmations: -1, status: { failed: false } }),
    holds('getblockheader', [c.invalid], { confirmations: -1, status: { failed: true, validity: 'scripts' } }),
    holds('getblockheader', [c.lonely, 2], { tx: [{ vin: [{}] }], merkleproof: [], nextblockhash: c.block }),
    holds('getblockheader', [c.block, 'DECODE_HEADER_EXTENDED'], { merkleproof: [c.mined] }),
    ...lenient('getblockheader'),
    fails('getblockheader', [NONE, 3], -8, 'Verbosity value out of range'),
    fails('getblockheader', [c.block, -1], -8, 'Verbosity value out of range'),
    fails('getblockheader', [c.block, 1.5], -1, OUT_OF_RANGE),
    fails('getblockheader', [c.block, 'RAW_BLOCK'], -8, 'Verbosity value not recognized'),
    fails('getblockheader', [c.block, []], -8, 'Invalid verbosity input type'),
    fails('getblockheader', [c.block, null], -8, 'Invalid verbosity input type'),
  ],
  getblock: (c) => [
    shows('getblock', [c.block], 'BLOCK'),
    shows('getblock', { blockhash: c.block, verbose: true }, 'BLOCK'),
    shows('getblock', [c.block, false], 'hex'),
    shows('getblock', [c.block, 'RAW_BLOCK'], 'hex'),
    shows('getblock', [c.block, '0'], 'hex'),
    shows('getblock', [c.block, 'true'], 'BLOCK'),
    shows('getblock', [c.block, 'decode_transactions'], 'FULLBLOCK'),
    shows('getblock', [c.block, 3], 'FULLBLOCK'),
    shows('getblock', [c.stale, 2], 'FULLBLOCK'),
    holds('getblock', [c.block, 1], { tx: [c.coinbase, c.mined], num_tx: 2 }),
    holds('getblock', [c.block, 2], { tx: [{ txid: c.coinbase }, { txid: c.mined, hex: c.minedHex }] }),
    holds('getblock', [c.block, 'DECODE_HEADER_AND_COINBASE'], { tx: [{ txid: c.coinbase }] }),
    holds('getblock', [c.block.toUpperCase()], { hash: c.block }),
    holds('getblock', [`0x${c.block}`], { hash: c.block }),
    ...lenient('getblock'),
    fails('getblock', [NONE, []], -5, NO_BLOCK),
    fails('getblock', [c.block, 4], -8, 'Verbosity value out of range'),
    fails('getblock', [c.block, 'RAW_HEADER'], -8, 'Verbosity value not recognized'),
    fails('getblock', [c.block, {}], -8, 'Invalid verbosity input type'),
  ],
  getblockbyheight: (c) => [
    shows('getblockbyheight', [c.height], 'BLOCK'),
    shows('getblockbyheight', { blockhash: c.height, verbosity: 0 }, 'hex'),
    shows('getblockbyheight', [0, 2], 'FULLBLOCK'),
    holds('getblockbyheight', [c.height, 3], { tx: [{ txid: c.coinbase }], hash: c.block }),
    fails('getblockbyheight', [c.height + 1], -8, 'Block height out of range'),
    fails('getblockbyheight', [-1, []], -8, 'Block height out of range'),
    fails('getblockbyheight', [c.block], -1, NOT_INTEGER),
    fails('getblockbyheight', { height: 1 }, -8, 'Unknown named parameter height'),
    fails('getblockbyheight', [1, 9], -8, 'Verbosity value out of range'),
  ],
  getdifficulty: () => [says('getdifficulty', [], '4.656542373906925e-10')],
  getblockchaininfo: (c) => [
    shows('getblockchaininfo', [], 'CHAININFO'),
    holds('getblockchaininfo', [], { chain: 'regtest', blocks: c.height, bestblockhash: c.block, pruned: false }),
    holds('getblockchaininfo', [], {
      softforks: ['bip34', 'bip66', 'bip65', 'csv'].map((id, n) => ({ id, version: n + 2, reject: { status: true } })),
    }),
  ],
  getchaintips: (c) => [
    shows('getchaintips', [], 'TIP[]'),
    holds(
      'getchaintips',
      [],
      [
        { height: c.height, hash: c.block, branchlen: 0, status: 'active' },
        { hash: c.invalid, branchlen: 1, status: 'invalid' },
        { hash: c.stale, branchlen: 1, status: 'valid-fork' },
      ],
    ),
  ],
  getchaintxstats: (c) => [
    shows('getchaintxstats', [], 'TXSTATS'),
    holds('getchaintxstats', [], { window_block_count: c.height - 1 }),
    holds('getchaintxstats', { blockhash: c.lonely }, { window_block_count: c.height - 2 }),
    holds('getchaintxstats', [null, c.block], { window_block_count: c.height - 1 }),
    holds('getchaintxstats', [1], { window_block_count: 1, window_tx_count: 2 }),
    fails('getchaintxstats', [-1], -8, WRONG_COUNT),
    fails('getchaintxstats', [c.height], -8, WRONG_COUNT),
    fails('getchaintxstats', [1, NONE], -5, NO_BLOCK),
    fails('getchaintxstats', [1, c.stale], -8, 'Block is not in main chain'),
    fails('getchaintxstats', ['5'], -1, NOT_INTEGER),
    fails('getchaintxstats', [5, 7], -1, NOT_STRING),
  ],
  getblockstats: (c) => [
    shows('getblockstats', [c.block], 'BLOCKSTATS'),
    shows('getblockstats', [c.first], 'BLOCKSTATS'),
    shows('getblockstats', [c.block, null], 'BLOCKSTATS'),
    shows('getblockstats', [c.block, [], 1, 2], 'BLOCKSTATS'),
    says(
      'getblockstats',
      { blockhash: c.block, stats: ['txs', 'ins', 'minfee'] },
      '{"ins":1,"minfee":0.00010000,"txs":2}',
    ),
    ...lenient('getblockstats'),
    fails('getblockstats', [c.stale], -8, 'Block is not in chain regtest'),
    fails('getblockstats', [c.block, ['nope']], -8, 'Invalid selected statistic nope'),
    fails('getblockstats', [c.block, [5]], -1, NOT_STRING),
    fails('getblockstats', [c.block, 'txs'], -1, NOT_ARRAY),
  ],
  getblockstatsbyheight: (c) => [
    shows('getblockstatsbyheight', [c.height], 'BLOCKSTATS'),
    says('getblockstatsbyheight', { height: c.height, stats: ['outs'] }, '{"outs":7}'),
    fails('getblockstatsbyheight', [-1], -8, 'Target block height -1 is negative'),
    fails('getblockstatsbyheight', [999], -8, `Target block height 999 after current tip ${c.height}`),
    fails('getblockstatsbyheight', ['5'], -1, NOT_INTEGER),
    fails('getblockstatsbyheight', [5, 'txs'], -1, NOT_ARRAY),
  ],
  gettxoutsetinfo: (c) => [
    shows('gettxoutsetinfo', [], 'SETINFO'),
    holds('gettxoutsetinfo', [], { height: c.height, bestblock: c.block }),
  ],
  getmempoolinfo: () => [
    shows('getmempoolinfo', [], 'MEMPOOLINFO'),
    holds('getmempoolinfo', [], { size: 2, nonfinalsize: 1 }),
  ],
  getrawmempool: (c) => [
    says('getrawmempool', [], `["${c.waiting}","${c.child}"]`),
    says('getrawmempool', { verbose: false }, `["${c.waiting}","${c.child}"]`),
    shows('getrawmempool', [true], 'MEMENTRY{}'),
    fails('getrawmempool', [1], -1, NOT_BOOLEAN),
    fails('getrawmempool', [null], -1, NOT_BOOLEAN),
  ],
  getrawnonfinalmempool: (c) => [says('getrawnonfinalmempool', [], `["${c.nonFinal}"]`)],
  getmempoolentry: (c) => [
    shows('getmempoolentry', [c.child], 'MEMENTRY'),
    holds('getmempoolentry', { txid: c.child }, { depends: [c.waiting], size: c.childHex.length / 2, fee: 0.0001 }),
    holds('getmempoolentry', [c.waiting.toUpperCase()], { depends: [] }),
    fails('getmempoolentry', [c.mined], -5, 'Transaction not in mempool'),
    ...strict('getmempoolentry', 'parameter 1'),
  ],
  getmempoolancestors: (c) => [
    says('getmempoolancestors', [c.child], `["${c.waiting}"]`),
    says('getmempoolancestors', [c.waiting, false], '[]'),
    shows('getmempoolancestors', { txid: c.child, verbose: true }, 'MEMENTRY{}'),
    fails('getmempoolancestors', [c.mined], -5, 'Transaction not in mempool'),
    // the flag is looked at before the hash
    fails('getmempoolancestors', ['xyz', 1], -1, NOT_BOOLEAN),
    fails('getmempoolancestors', [c.child, null], -1, NOT_BOOLEAN),
    ...strict('getmempoolancestors', 'parameter 1'),
  ],
  getmempooldescendants: (c) => [
    says('getmempooldescendants', [c.waiting], `["${c.child}"]`),
    shows('getmempooldescendants', [c.waiting, true], 'MEMENTRY{}'),
    fails('getmempooldescendants', [NONE], -5, 'Transaction not in mempool'),
    fails('getmempooldescendants', ['xyz', 'yes'], -1, NOT_BOOLEAN),
    ...strict('getmempooldescendants', 'parameter 1'),
  ],
  gettxout: (c) => [
    shows('gettxout', [c.mined, 0], 'TXOUT'),
    shows('gettxout', { txid: c.child, n: 0 }, 'TXOUT'),
    holds('gettxout', [c.mined, 0], { bestblock: c.block, confirmations: 1, value: 1e-8, coinbase: false }),
    holds('gettxout', [c.child, 0, true], { confirmations: 0, confiscation: false }),
    holds('gettxout', [c.coinbase, 0], { coinbase: true }),
    holds('gettxout', [c.mined, 3], { scriptPubKey: { type: 'pubkey', reqSigs: 1 } }),
    holds('gettxout', [c.mined, 4], { scriptPubKey: { type: 'multisig', reqSigs: 1 } }),
    holds('gettxout', [c.mined, 1, false], { scriptPubKey: { type: 'pubkeyhash', reqSigs: 1 } }),
    // spent in the mempool, which is looked at unless the caller says otherwise
    says('gettxout', [c.mined, 1], 'null'),
    says('gettxout', [c.child, 0, false], 'null'),
    says('gettxout', [c.mined, 99], 'null'),
    says('gettxout', [c.mined, -1], 'null'),
    says('gettxout', ['nonsense', 0], 'null'),
    fails('gettxout', [5, 0], -1, NOT_STRING),
    fails('gettxout', [NONE, '0'], -1, NOT_INTEGER),
    fails('gettxout', [NONE, 0, 'yes'], -1, NOT_BOOLEAN),
    fails('gettxout', [NONE, 0, null], -1, NOT_BOOLEAN),
    fails('gettxout', { txid: NONE, include_mempool: true }, -1, NOT_INTEGER),
  ],
  gettxouts: (c) => {
    const at = (n: number, txid = c.mined) => ({ txid, n });
    const spent = `"txid":"${c.waiting}","size":${c.waitingHex.length / 2}`;
    return [
      says(
        'gettxouts',
        [[at(5)], ['confirmations', 'isStandard', 'value', 'scriptPubKeyLen', 'scriptPubKey']],
        '{"txouts":[{"scriptPubKey":"5193","scriptPubKeyLen":2,"value":0.00007005,"isStandard":false,"confirmations":1}]}',
      ),
      says(
        'gettxouts',
        [[at(1), at(1), at(99)], ['value'], true],
        `{"txouts":[{"error":"spent","collidedWith":{${spent},"hex":"${c.waitingHex}"}},{"error":"spent","collidedWith":{${spent}}},{"error":"missing"}]}`,
      ),
      says(
        'gettxouts',
        [[at(0, c.child), at(0)], ['confirmations']],
        '{"txouts":[{"confirmations":0},{"confirmations":1}]}',
      ),
      says(
        'gettxouts',
        { txids_vouts: [at(0, c.child)], return_fields: ['*'], include_mempool: false },
        '{"txouts":[{"error":"missing"}]}',
      ),
      says('gettxouts', [[], ['*']], '{"txouts":[]}'),
      fails('gettxouts', [{}, ['*']], -3, 'Expected type array, got object'),
      fails('gettxouts', [[], 'value'], -3, 'Expected type array, got string'),
      fails('gettxouts', [[], ['value'], 1], -1, NOT_BOOLEAN),
      fails('gettxouts', [[], ['*', 'value']], -32602, '"*" should not be used with other return fields'),
      fails('gettxouts', [[], ['worth']], -32602, 'Wrong return field: worth'),
      fails('gettxouts', [[], []], -32602, 'No return fields set'),
      fails('gettxouts', [[], [5]], -1, NOT_STRING),
      fails('gettxouts', [[{ txid: 5, n: 0 }], ['*']], -32602, 'txid is in wrong format'),
      fails('gettxouts', [[{ txid: c.mined, n: '0' }], ['*']], -32602, 'vout is not an integer'),
      fails(
        'gettxouts',
        [[{ txid: c.mined }], ['*']],
        -32602,
        'Wrong format. Exactly "txid" and "n" are required fields.',
      ),
      fails(
        'gettxouts',
        [[{ ...at(0), x: 1 }], ['*']],
        -32602,
        'Wrong format. Exactly "txid" and "n" are required fields.',
      ),
      fails('gettxouts', [[null], ['*']], -1, NOT_OBJECT),
    ];
  },
  gettxoutproof: (c) => [
    says('gettxoutproof', [[c.mined]], `"${c.proof}"`),
    says('gettxoutproof', { txids: [c.mined], blockhash: c.block }, `"${c.proof}"`),
    shows('gettxoutproof', [[c.coinbase, c.mined]], 'hex'),
    fails('gettxoutproof', [['xyz']], -8, 'Invalid txid xyz'),
    fails('gettxoutproof', [[c.mined, c.mined]], -8, `Invalid parameter, duplicated txid: ${c.mined}`),
    fails('gettxoutproof', [[c.mined], NONE], -5, NO_BLOCK),
    fails('gettxoutproof', [[c.mined], c.lonely], -5, 'Transaction(s) not found in provided block'),
    fails('gettxoutproof', [[c.mined, c.waiting], c.block], -5, 'Transaction(s) not found in provided block'),
    fails(
      'gettxoutproof',
      [[c.waiting]],
      -5,
      'Transaction not yet in block, -txindex is not enabled, or the block containing the transaction has been pruned',
    ),
    fails('gettxoutproof', [[c.mined, c.waiting]], -5, 'Not all transactions found in specified or retrieved block'),
    fails('gettxoutproof', [c.mined], -1, NOT_ARRAY),
    fails('gettxoutproof', [[5]], -1, NOT_STRING),
    fails('gettxoutproof', [[c.mined], 5], -1, NOT_STRING),
  ],
  verifytxoutproof: (c) => [
    says('verifytxoutproof', [c.proof], `["${c.mined}"]`),
    // another Merkle root in the header
    says('verifytxoutproof', [`${c.proof.slice(0, 72)}${'00'.repeat(32)}${c.proof.slice(136)}`], '[]'),
    fails('verifytxoutproof', [`ff${c.proof.slice(2)}`], -5, 'Block not found in chain'),
    fails('verifytxoutproof', ['zz'], -8, notHex('proof', 'zz')),
    fails('verifytxoutproof', [5], -8, notHex('proof')),
    fails('verifytxoutproof', ['00'], -1, /./),
  ],
  getmerkleproof: (c) => [
    shows('getmerkleproof', [c.mined], 'PROOF'),
    holds('getmerkleproof', { txid: c.mined, blockhash: c.block }, { flags: 2, index: 1, nodes: [c.coinbase] }),
    holds('getmerkleproof', [c.coinbase, ''], { index: 0, txOrId: c.coinbase, nodes: [c.mined] }),
    ...strict('getmerkleproof', 'txid'),
    fails('getmerkleproof', [c.mined, c.lonely], -5, 'Transaction(s) not found in provided block'),
    fails('getmerkleproof', [c.mined, NONE], -5, NO_BLOCK),
    fails('getmerkleproof', [c.waiting], -5, /^Transaction not yet in block, /),
    fails('getmerkleproof', [c.mined, 5], -1, NOT_STRING),
  ],
  getmerkleproof2: (c) => [
    shows('getmerkleproof2', ['', c.mined], 'PROOF2'),
    holds('getmerkleproof2', [c.block, c.mined], { index: 1, txOrId: c.mined, target: c.block, nodes: [c.coinbase] }),
    holds('getmerkleproof2', ['', c.mined, true], { txOrId: c.minedHex }),
    shows('getmerkleproof2', ['', c.mined, false, 'header'], 'PROOF2'),
    holds('getmerkleproof2', ['', c.mined, false, 'header', 'json'], { targetType: 'header' }),
    holds('getmerkleproof2', ['', c.mined, false, 'merkleroot'], { targetType: 'merkleroot' }),
    // by name the first two are swapped
    holds('getmerkleproof2', { txid: '', blockhash: c.mined }, { txOrId: c.mined }),
    fails('getmerkleproof2', { txid: c.mined, blockhash: '' }, -8, notHex('txid')),
    ...strict('getmerkleproof2', 'txid', ['']),
    fails('getmerkleproof2', [c.lonely, c.mined], -5, 'Transaction(s) not found in provided block'),
    fails('getmerkleproof2', [NONE, c.mined], -5, NO_BLOCK),
    fails('getmerkleproof2', ['', c.waiting], -5, /^Transaction not yet in block, /),
    fails('getmerkleproof2', [5, c.mined], -1, NOT_STRING),
    fails('getmerkleproof2', ['', c.mined, 'yes'], -1, NOT_BOOLEAN),
    fails('getmerkleproof2', ['', c.mined, false, 5], -1, NOT_STRING),
    fails('getmerkleproof2', ['', c.mined, false, 'x'], -32602, /^targetType is 'x', {2}must be .*\n/),
    fails(
      'getmerkleproof2',
      ['', c.mined, false, 'hash', 'binary'],
      -32602,
      /^format is 'binary', {2}must be 'json'\n/,
    ),
    fails('getmerkleproof2', [''], -1, /^getmerkleproof2 /),
  ],
  verifymerkleproof: (c) => {
    const target = { merkleroot: NONE };
    const proof = { flags: 2, index: 0, txOrId: NONE, target, nodes: [] };
    return [
      says('verifymerkleproof', [proof], 'true'),
      says('verifymerkleproof', { proof: { ...proof, nodes: [c.mined] } }, 'false'),
      says('verifymerkleproof', [{ ...proof, nodes: ['*'] }], 'false'),
      fails('verifymerkleproof', [null], -8, /null/),
      fails('verifymerkleproof', ['00'], -3, 'Expected type object, got string'),
      fails('verifymerkleproof', [{ ...proof, flags: '2' }], -8, '"flags" must be a numeric value'),
      fails('verifymerkleproof', [{ ...proof, flags: 0 }], -8, /only supports "flags" with value 2/),
      fails('verifymerkleproof', [{ ...proof, index: '0' }], -8, '"index" must be a numeric value'),
      fails('verifymerkleproof', [{ ...proof, index: -1 }], -8, /^"index" must be a positive/),
      fails('verifymerkleproof', [{ ...proof, index: 2 ** 31 }], -1, OUT_OF_RANGE),
      fails('verifymerkleproof', [{ ...proof, txOrId: 'zz' }], -8, notHex('txOrId', 'zz')),
      fails('verifymerkleproof', [{ ...proof, txOrId: 'ab' }], -8, notLong('txOrId', 2)),
      fails('verifymerkleproof', [{ ...proof, target: NONE }], -8, '"target" must be a block header Json object'),
      fails('verifymerkleproof', [{ ...proof, target: {} }], -8, notHex('merkleroot')),
      fails('verifymerkleproof', [{ ...proof, nodes: '*' }], -8, '"nodes" must be a Json array'),
      fails('verifymerkleproof', [{ ...proof, nodes: [5] }], -8, /^"node" must be/),
      fails('verifymerkleproof', [{ ...proof, nodes: ['ab'] }], -8, notLong('node', 2)),
    ];
  },
  getrawtransaction: (c) => [
    says('getrawtransaction', [c.mined], `"${c.minedHex}"`),
    says('getrawtransaction', { txid: c.waiting, verbose: 0 }, `"${c.waitingHex}"`),
    says('getrawtransaction', [c.mined, false], `"${c.minedHex}"`),
    shows('getrawtransaction', [c.mined, true], 'BLOCKTX'),
    shows('getrawtransaction', [c.coinbase, 1], 'BLOCKTX'),
    shows('getrawtransaction', [c.waiting, -1], 'PLAINTX'),
    shows('getrawtransaction', [c.nonFinal, true], 'PLAINTX'),
    holds('getrawtransaction', [c.mined, true], { blockhash: c.block, confirmations: 1, blockheight: c.height }),
    ...strict('getrawtransaction', 'parameter 1'),
    fails('getrawtransaction', [NONE], -5, /^No such mempool or blockchain transaction\. /),
    ...['true', [], null].map((verbose) =>
      fails('getrawtransaction', [c.mined, verbose], -3, 'Invalid type provided. Verbose parameter must be a boolean.'),
    ),
    fails('getrawtransaction', [c.mined, 1.5], -1, OUT_OF_RANGE),
  ],
  decoderawtransaction: (c) => [
    shows('decoderawtransaction', [c.minedHex], 'PLAINTX'),
    shows('decoderawtransaction', { hexstring: c.waitingHex.toUpperCase() }, 'PLAINTX'),
    // no inputs and no outputs
    holds('decoderawtransaction', ['ffffffff000000000000'], { version: -1, size: 10, vin: [], vout: [] }),
    // read by today's rules unless an output is P2SH
    holds('decoderawtransaction', [`010000000001${'00'.repeat(8)}026a0000000000`], {
      vout: [{ scriptPubKey: { type: 'nonstandard' } }],
    }),
    holds('decoderawtransaction', [`010000000002${'00'.repeat(8)}026a00${'00'.repeat(8)}17${P2SH}00000000`], {
      vout: [{ scriptPubKey: { type: 'nulldata' } }, { scriptPubKey: { type: 'scripthash', reqSigs: 1 } }],
    }),
    fails('decoderawtransaction', [c.minedHex.slice(2)], -22, 'TX decode failed'),
    fails('decoderawtransaction', [`${c.minedHex}00`], -22, 'TX decode failed'),
    fails('decoderawtransaction', ['zz'], -22, 'TX decode failed'),
    fails('decoderawtransaction', [''], -22, 'TX decode failed'),
    fails('decoderawtransaction', [5], -3, 'Expected type string, got number'),
    fails('decoderawtransaction', [null], -3, 'Expected type string, got null'),
  ],
  decodescript: () => [
    shows('decodescript', [`76a914${'00'.repeat(20)}88ac`], 'DECODEDSCRIPT'),
    shows('decodescript', [P2SH], 'SPK'),
    holds('decodescript', [''], { asm: '', hex: '', type: 'nonstandard' }),
    holds('decodescript', [P2SH.toUpperCase()], { hex: P2SH, type: 'scripthash', reqSigs: 1 }),
    // pushes of up to four bytes are numbers, longer ones hex, other operations have names
    holds('decodescript', ['00515d4f'], { asm: '0 1 13 -1' }),
    holds('decodescript', ['00036f72640181020080040000008005aabbccddee6a'], {
      asm: '0 6582895 -1 0 0 aabbccddee OP_RETURN',
    }),
    holds('decodescript', ['0463'], { asm: '[error]', type: 'nonstandard' }),
    holds('decodescript', ['006a0568656c6c6f'], { asm: '0 OP_RETURN 68656c6c6f', type: 'nulldata' }),
    holds('decodescript', ['6a0568656c6c6f'], { type: 'nonstandard' }),
    holds('decodescript', [`2102${'11'.repeat(32)}ac`], { type: 'pubkey', reqSigs: 1 }),
    holds('decodescript', [`522102${'11'.repeat(32)}2103${'22'.repeat(32)}52ae`], { type: 'multisig', reqSigs: 2 }),
    fails('decodescript', ['zz'], -8, notHex('argument', 'zz')),
    fails('decodescript', ['abc'], -8, notHex('argument', 'abc')),
    fails('decodescript', [5], -3, 'Expected type string, got number'),
  ],
  getinfo: (c) => [
    shows('getinfo', [], 'INFO'),
    holds('getinfo', [], { version: 101020200, protocolversion: 70016, blocks: c.height, testnet: false, stn: false }),
  ],
  getnetworkinfo: () => [
    shows('getnetworkinfo', [], 'NETWORKINFO'),
    holds('getnetworkinfo', [], { version: 101020200, subversion: '/Bitcoin SV:1.2.2/', protocolversion: 70016 }),
  ],
  help: () => [
    shows('help', [], 'str'),
    shows('help', { command: 'getblock' }, 'str'),
    says('help', ['nonsense'], '"help: unknown command: nonsense"'),
    fails('help', [5], -1, NOT_STRING),
    fails('help', [null], -1, NOT_STRING),
  ],
};
