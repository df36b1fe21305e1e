import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dataScript,
  encodeAddress,
  fromHex,
  inscriptionScript,
  parseP2pkh,
  parseTx,
  satoshis,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
  verifyTscProof,
} from '../../../chain/index.ts';
import { createNodeRpc, type NodeRpcDispatcher, writeJson } from './rpc.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode, walletKey } from './test-support/open-node.ts';
import { accepted, coinOf, outputCoin, spend } from './test-support/spend.ts';

const COIN = 5_000_000_000;
const other = lockingScriptOf(otherKey);
const otherHash = parseP2pkh(other) as Uint8Array;
const ghost = 'ab'.repeat(32);

let opened: TestNode;
let rpc: NodeRpcDispatcher;
/** Mined in block 121, and its waiting child. */
let mined: Tx;
let waiting: Tx;
let blockHash = '';
beforeAll(async () => {
  opened = await openTestNode();
  const { node } = opened;
  rpc = createNodeRpc(node);
  const token = inscriptionScript({
    pubKeyHash: otherHash,
    contentType: 'text/plain',
    content: new TextEncoder().encode('hello'),
    map: { app: 'test', name: 'one', type: 'ord' },
  });
  mined = spend([await coinOf(node, walletKey)], walletKey, [
    { satoshis: 1, script: token },
    { satoshis: COIN - 10_001, script: other },
    { satoshis: 0, script: dataScript([new TextEncoder().encode('data')]) },
  ]);
  await accepted(node, mined);
  [blockHash = ''] = await node.mine(1);
  waiting = spend([outputCoin(mined, txidOf(mined), 1)], otherKey, [{ satoshis: COIN - 20_001, script: other }]);
  await accepted(node, waiting);
});
afterAll(() => opened.remove());

/** Calls and reads what would be on the wire. */
async function call<T = Record<string, unknown>>(method: string, ...params: unknown[]): Promise<T> {
  return JSON.parse(writeJson(await rpc.dispatch(method, params))) as T;
}

async function keysOf(method: string, ...params: unknown[]): Promise<string> {
  return Object.keys(await call(method, ...params)).join(' ');
}

async function failureOf(method: string, ...params: unknown[]): Promise<string> {
  try {
    await rpc.dispatch(method, params);
    return 'no failure';
  } catch (error) {
    const { code, message } = error as { code: number; message: string };
    return `${code} ${message}`;
  }
}

const HEADER =
  'hash confirmations size height version versionHex merkleroot num_tx time mediantime nonce bits difficulty chainwork previousblockhash';

describe('all commands', () => {
  it('are those of the gateway and the node’s own five', () => {
    const gateway =
      'getbestblockhash getblock getblockbyheight getblockchaininfo getblockcount getblockhash getblockheader getblockstats getblockstatsbyheight getchaintips getchaintxstats getdifficulty getmempoolancestors getmempooldescendants getmempoolentry getmempoolinfo getmerkleproof getmerkleproof2 getrawmempool getrawnonfinalmempool gettxout gettxoutproof gettxouts gettxoutsetinfo verifymerkleproof verifytxoutproof decoderawtransaction decodescript getrawtransaction getnetworkinfo getinfo help';
    const own = 'sendrawtransaction generate generatetoaddress invalidateblock reconsiderblock';
    expect([...rpc.commands]).toEqual(`${gateway} ${own}`.split(' ').sort());
  });

  it('answer too many parameters with their help, and have help', async () => {
    for (const command of rpc.commands) {
      const help = await call<string>('help', command);
      expect(help).toMatch(new RegExp(`^${command}\\b`));
      expect(await failureOf(command, 1, 2, 3, 4, 5, 6)).toBe(`-1 ${help}\n`);
    }
    expect(await failureOf('getblockhash')).toMatch(/^-1 getblockhash height\n/);
    expect(await call<string>('help', 'nope')).toBe('help: unknown command: nope');
    const overview = (await call<string>('help')).split('\n');
    expect(overview[0]).toBe('== Blockchain ==');
    expect(overview.filter((line) => line.startsWith('== '))).toHaveLength(5);
    expect(overview.filter((line) => /^[a-z]/.test(line))).toHaveLength(rpc.commands.length);
  });

  it('take named parameters, with aliases, and fill gaps with null', async () => {
    const raw = await rpc.dispatch('getblock', { blockhash: blockHash, verbose: 0 });
    expect(raw).toBe(await rpc.dispatch('getblock', [blockHash, 0]));
    expect(await rpc.dispatch('getblock', { verbosity: 0, blockhash: blockHash })).toBe(raw);
    expect(await rpc.dispatch('gettxout', { include_mempool: true, txid: txidOf(mined), n: 0 })).not.toBeNull();
    expect(await rpc.dispatch('getchaintxstats', { blockhash: blockHash })).toMatchObject({ window_block_count: 120 });
    await expect(rpc.dispatch('gettxout', { txid: ghost, include_mempool: true })).rejects.toMatchObject({
      message: 'JSON value is not an integer as expected',
    });
  });
});

describe('chain commands', () => {
  it('tell the tip and the state of the chain', async () => {
    expect(await call('getbestblockhash')).toBe(blockHash);
    expect(await call('getblockcount')).toBe(121);
    expect(await call('getblockhash', 121)).toBe(blockHash);
    expect(await call('getdifficulty')).toBe(4.656542373906925e-10);
    expect(await call('getchaintips')).toEqual([{ height: 121, hash: blockHash, branchlen: 0, status: 'active' }]);
    expect(await keysOf('getblockchaininfo')).toBe(
      'chain blocks headers bestblockhash difficulty mediantime verificationprogress chainwork pruned softforks',
    );
    // each block of this target is worth two hashes
    expect(await call('getblockchaininfo')).toMatchObject({
      chain: 'regtest',
      blocks: 121,
      chainwork: (122 * 2).toString(16).padStart(64, '0'),
    });
    expect(await failureOf('getblockhash', 122)).toBe('-8 Block height out of range');
    expect(await failureOf('getblockhash', -1)).toBe('-8 Block height out of range');
    expect(await failureOf('getblockhash', '1')).toBe('-1 JSON value is not an integer as expected');
    expect(await failureOf('getblockhash', 1.5)).toBe('-1 JSON integer out of range');
  });

  it('show headers in three forms', async () => {
    const header = await call<string>('getblockheader', blockHash, 0);
    expect(header).toHaveLength(160);
    expect(await call('getblockheader', blockHash, false)).toBe(header);
    expect(await call('getblockheader', blockHash, 'RAW_HEADER')).toBe(header);
    expect(await keysOf('getblockheader', blockHash)).toBe(`${HEADER} status`);
    expect(await keysOf('getblockheader', await call('getblockhash', 0))).toBe(
      `${HEADER.replace(' previousblockhash', '')} nextblockhash status`,
    );
    expect(await keysOf('getblockheader', blockHash, 2)).toBe(`tx ${HEADER} status merkleproof`);
    expect(await call('getblockheader', blockHash, 2)).toMatchObject({
      tx: [{ vin: [{ sequence: 0xffffffff }], vout: [{ value: 50.0001 }], blockhash: blockHash }],
      merkleproof: [txidOf(mined)],
      confirmations: 1,
      height: 121,
      versionHex: '20000000',
      bits: '207fffff',
      num_tx: 2,
    });
    expect(await failureOf('getblockheader', ghost)).toBe('-5 Block not found');
    expect(await failureOf('getblockheader', 'x')).toBe('-5 Block not found');
    expect(await failureOf('getblockheader', blockHash, 3)).toBe('-8 Verbosity value out of range');
    expect(await failureOf('getblockheader', blockHash, 'RAW_BLOCK')).toBe('-8 Verbosity value not recognized');
    expect(await failureOf('getblockheader', blockHash, [])).toBe('-8 Invalid verbosity input type');
  });

  it('show blocks in four forms, by hash and by height', async () => {
    const txids = [(await call<{ tx: string[] }>('getblock', blockHash)).tx[0], txidOf(mined)];
    expect(await keysOf('getblock', blockHash)).toBe(`tx ${HEADER} status`);
    expect(await call('getblock', blockHash, true)).toMatchObject({ tx: txids });
    const raw = await call<string>('getblock', blockHash, 0);
    expect(raw.startsWith(await call<string>('getblockheader', blockHash, 0))).toBe(true);
    const full = await call<{ tx: { txid: string }[]; size: number }>('getblock', blockHash, 'DECODE_TRANSACTIONS');
    expect(full.tx.map(({ txid }) => txid)).toEqual(txids);
    expect(full.size).toBe(raw.length / 2);
    const withCoinbase = await call<{ tx: { txid: string }[] }>('getblock', blockHash, 3);
    expect(withCoinbase.tx.map(({ txid }) => txid)).toEqual([txids[0]]);
    for (const level of [0, 1, 2, 3]) {
      expect(await call('getblockbyheight', 121, level)).toEqual(await call('getblock', blockHash, level));
    }
    expect(await failureOf('getblockbyheight', 122)).toBe('-8 Block height out of range');
    expect(await failureOf('getblock', ghost)).toBe('-5 Block not found');
    expect(await failureOf('getblock', blockHash, 4)).toBe('-8 Verbosity value out of range');
  });

  it('count transactions', async () => {
    expect(await keysOf('getchaintxstats')).toBe(
      'time txcount window_block_count window_tx_count window_interval txrate',
    );
    const stats = await call<Record<string, number>>('getchaintxstats', 5);
    expect(stats).toMatchObject({ txcount: 123, window_block_count: 5, window_tx_count: 6 });
    expect(stats.txrate).toBe(6 / (stats.window_interval as number));
    expect(await keysOf('getchaintxstats', 0)).toBe('time txcount window_block_count');
    expect(await failureOf('getchaintxstats', 121)).toBe(
      "-8 Invalid block count: should be between 0 and the block's height - 1",
    );
    expect(await failureOf('getchaintxstats', 1, ghost)).toBe('-5 Block not found');
  });

  it('sum up all outputs', async () => {
    expect(await keysOf('gettxoutsetinfo')).toBe(
      'height bestblock transactions txouts bogosize hash_serialized disk_size total_amount',
    );
    // the first block's coinbase is not spendable; one coinbase was spent for two outputs
    expect(await call('gettxoutsetinfo')).toMatchObject({ transactions: 121, txouts: 122, total_amount: 121 * 50 });
    expect(writeJson(await rpc.dispatch('gettxoutsetinfo'))).toContain('"total_amount":6050.00000000}');
  });
});

describe('mempool commands', () => {
  it('list what waits and what hangs together', async () => {
    const { node } = opened;
    const txid = txidOf(waiting);
    const child = spend([outputCoin(waiting, txid, 0)], otherKey, [{ satoshis: COIN - 30_001, script: other }]);
    const childId = await accepted(node, child);
    expect(await keysOf('getmempoolinfo')).toBe(
      'size journalsize nonfinalsize bytes usage usagedisk usagecpfp nonfinalusage maxmempool maxmempoolsizedisk maxmempoolsizecpfp mempoolminfee',
    );
    expect(writeJson(await rpc.dispatch('getmempoolinfo'))).toMatch(/"mempoolminfee":0\.00000250}$/);
    expect(await call('getrawmempool')).toEqual([txid, childId]);
    expect(await call('getrawnonfinalmempool')).toEqual([]);
    const entry = await call('getmempoolentry', childId);
    expect(Object.keys(entry).join(' ')).toBe('size fee modifiedfee time height depends');
    expect(entry).toMatchObject({ size: serializeTx(child).length, fee: 0.0001, height: 121, depends: [txid] });
    expect(await call('getrawmempool', true)).toMatchObject({ [childId]: entry });
    expect(await call('getmempoolancestors', childId)).toEqual([txid]);
    expect(await call('getmempoolancestors', txid)).toEqual([]);
    expect(await call('getmempooldescendants', txid, true)).toEqual({ [childId]: entry });
    expect(await failureOf('getmempoolentry', ghost)).toBe('-5 Transaction not in mempool');
    expect(await failureOf('getmempoolentry', 'xyz')).toBe(
      "-8 parameter 1 must be hexadecimal string (not 'xyz') and length of it must be divisible by 2",
    );
    expect(await failureOf('getmempoolentry', 'abcd')).toBe('-8 parameter 1 must be of length 64 (not 4)');
    // the node looks at the flag before the hash
    expect(await failureOf('getmempoolancestors', 'xyz', 1)).toBe('-1 JSON value is not a boolean as expected');
  });
});

describe('output commands', () => {
  it('gettxout sees the mempool or looks past it', async () => {
    const txid = txidOf(mined);
    expect(await keysOf('gettxout', txid, 0)).toBe('bestblock confirmations value scriptPubKey coinbase confiscation');
    expect(writeJson(await rpc.dispatch('gettxout', [txid, 0]))).toContain('"value":0.00000001,');
    expect(await call('gettxout', txid, 0)).toMatchObject({
      bestblock: blockHash,
      confirmations: 1,
      coinbase: false,
      scriptPubKey: { type: 'nonstandard' },
    });
    expect(await call('gettxout', txid, 1)).toBeNull();
    expect(await call('gettxout', txid, 1, false)).toMatchObject({
      scriptPubKey: { reqSigs: 1, type: 'pubkeyhash', addresses: [encodeAddress(otherHash, 'test')] },
    });
    expect(await call('gettxout', txid, 2)).toBeNull();
    expect(await call('gettxout', 'nonsense', 0)).toBeNull();
    expect(await call('gettxout', txid, -1)).toBeNull();
    expect(await failureOf('gettxout', 5, 0)).toBe('-1 JSON value is not a string as expected');
  });

  it('gettxouts answers many at once, with who spent them', async () => {
    const txid = txidOf(mined);
    const at = (n: number) => ({ txid, n });
    const spent = { txid: txidOf(waiting), size: serializeTx(waiting).length };
    expect(await call('gettxouts', [at(0), at(1), at(1), at(7)], ['*'])).toEqual({
      txouts: [
        {
          scriptPubKey: toHex(mined.outputs[0]?.script ?? new Uint8Array()),
          scriptPubKeyLen: mined.outputs[0]?.script.length,
          value: 1e-8,
          isStandard: false,
          confirmations: 1,
        },
        { error: 'spent', collidedWith: { ...spent, hex: toHex(serializeTx(waiting)) } },
        { error: 'spent', collidedWith: spent },
        { error: 'missing' },
      ],
    });
    expect(await call('gettxouts', [at(1)], ['isStandard', 'scriptPubKeyLen'], false)).toEqual({
      txouts: [{ scriptPubKeyLen: 25, isStandard: true }],
    });
    expect(await failureOf('gettxouts', {}, ['*'])).toBe('-3 Expected type array, got object');
    expect(await failureOf('gettxouts', [], [])).toBe('-32602 No return fields set');
    expect(await failureOf('gettxouts', [], ['*', 'value'])).toBe(
      '-32602 "*" should not be used with other return fields',
    );
    expect(await failureOf('gettxouts', [], ['worth'])).toBe('-32602 Wrong return field: worth');
    expect(await failureOf('gettxouts', [], [{ toString: 1 }])).toBe('-1 JSON value is not a string as expected');
    const format = '-32602 Wrong format. Exactly "txid" and "n" are required fields.';
    expect(await failureOf('gettxouts', [{ txid }], ['*'])).toBe(format);
    expect(await failureOf('gettxouts', [{ ...at(0), x: 1 }], ['*'])).toBe(format);
    expect(await failureOf('gettxouts', [null], ['*'])).toBe(format);
    expect(await failureOf('gettxouts', [{ txid: 'ab', n: 0 }], ['*'])).toBe('-32602 txid is in wrong format');
    expect(await failureOf('gettxouts', [{ txid, n: '0' }], ['*'])).toBe('-32602 vout is not an integer');
  });
});

describe('proof commands', () => {
  it('prove by merkle block and check it again', async () => {
    const txid = txidOf(mined);
    const proof = await call<string>('gettxoutproof', [txid]);
    expect(proof.startsWith(await call<string>('getblockheader', blockHash, 0))).toBe(true);
    expect(await call('verifytxoutproof', proof)).toEqual([txid]);
    expect(await call('gettxoutproof', [txid], blockHash)).toBe(proof);
    // another root
    const wrong = `${proof.slice(0, 80)}00${proof.slice(82)}`;
    expect(await call('verifytxoutproof', wrong)).toEqual([]);
    // another version: the header is no longer that of a known block
    expect(await failureOf('verifytxoutproof', `01${proof.slice(2)}`)).toBe('-5 Block not found in chain');
    expect(await failureOf('verifytxoutproof', 'zz')).toMatch(/^-8 proof must be hexadecimal string \(not 'zz'\)/);
    expect(await failureOf('verifytxoutproof', 'abcd')).toMatch(/^-1 /);
    expect(await failureOf('gettxoutproof', ['ab'])).toBe('-8 Invalid txid ab');
    expect(await failureOf('gettxoutproof', [txid, txid])).toBe(`-8 Invalid parameter, duplicated txid: ${txid}`);
    expect(await failureOf('gettxoutproof', [txid, ghost])).toBe(
      '-5 Not all transactions found in specified or retrieved block',
    );
    expect(await failureOf('gettxoutproof', [txid], ghost)).toBe('-5 Block not found');
    expect(await failureOf('gettxoutproof', [txidOf(waiting)])).toMatch(/^-5 Transaction not yet in block/);
    expect(await failureOf('gettxoutproof', [ghost], blockHash)).toBe('-5 Transaction(s) not found in provided block');
  });

  it('prove by branch, in the old and the new form', async () => {
    const txid = txidOf(mined);
    const old = await call<{ target: { merkleroot: string }; nodes: string[] }>('getmerkleproof', txid);
    expect(Object.keys(old).join(' ')).toBe('flags index txOrId target nodes');
    expect(Object.keys(old.target).join(' ')).toBe(`${HEADER} status`);
    expect(await call('verifymerkleproof', old)).toBe(true);
    expect(await call('verifymerkleproof', { ...old, index: 0 })).toBe(false);
    expect(await call('getmerkleproof2', '', txid)).toEqual({
      index: 1,
      txOrId: txid,
      target: blockHash,
      nodes: old.nodes,
    });
    const full = await call<{ target: string }>('getmerkleproof2', blockHash, txid, true, 'header');
    expect(full).toMatchObject({ targetType: 'header', txOrId: toHex(serializeTx(mined)) });
    expect(full.target).toBe(await call('getblockheader', blockHash, 0));
    const root = await call<Parameters<typeof verifyTscProof>[0]>('getmerkleproof2', '', txid, false, 'merkleroot');
    expect(Object.keys(root).join(' ')).toBe('index txOrId targetType target nodes');
    expect(verifyTscProof(root, old.target.merkleroot)).toBe(true);
    expect(await failureOf('getmerkleproof', txidOf(waiting))).toMatch(/^-5 Transaction not yet in block/);
    const [lonely] = (await call<{ tx: string[] }>('getblockbyheight', 5)).tx;
    expect(await failureOf('getmerkleproof', lonely)).toBe('-5 Transaction(s) not found in provided block');
    expect(await failureOf('getmerkleproof2', '', txid, false, 'x')).toMatch(/^-32602 targetType is 'x', {2}must be /);
    expect(await failureOf('getmerkleproof2', '', txid, false, 'hash', 'binary')).toMatch(
      /^-32602 format is 'binary', {2}must be 'json'/,
    );
    expect(await failureOf('getmerkleproof2', '')).toMatch(/^-1 getmerkleproof2 /);
  });

  it('verifymerkleproof names the field that is wrong', async () => {
    const good = await call<Record<string, unknown>>('getmerkleproof', txidOf(mined));
    const wrong = (field: string, value: unknown) => failureOf('verifymerkleproof', { ...good, [field]: value });
    expect(await wrong('flags', '2')).toBe('-8 "flags" must be a numeric value');
    expect(await wrong('flags', 1)).toMatch(/^-8 /);
    expect(await wrong('index', null)).toBe('-8 "index" must be a numeric value');
    expect(await wrong('index', -1)).toMatch(/^-8 "index" .*positive/);
    expect(await wrong('txOrId', 'ab')).toMatch(/^-8 /);
    expect(await wrong('target', blockHash)).toBe('-8 "target" must be a block header Json object');
    expect(await wrong('target', {})).toMatch(/^-8 /);
    expect(await wrong('nodes', 'ab')).toBe('-8 "nodes" must be a Json array');
    expect(await wrong('nodes', [5])).toMatch(/^-8 /);
    expect(await wrong('nodes', ['ab'])).toMatch(/^-8 /);
    expect(await failureOf('verifymerkleproof', null)).toMatch(/^-8 /);
    expect(await failureOf('verifymerkleproof', 'x')).toBe('-3 Expected type object, got string');
  });
});

describe('transaction commands', () => {
  it('show transactions as hex and as objects', async () => {
    const txid = txidOf(mined);
    const hex = toHex(serializeTx(mined));
    expect(await call('getrawtransaction', txid)).toBe(hex);
    expect(await call('getrawtransaction', txid, 0)).toBe(hex);
    const text = writeJson(await rpc.dispatch('getrawtransaction', [txid, 1]));
    expect(text).toContain(`{"value":49.99989999,"n":1,`);
    const view = JSON.parse(text);
    expect(Object.keys(view).join(' ')).toBe(
      'txid hash version size locktime vin vout blockhash confirmations time blocktime blockheight hex',
    );
    expect(view).toMatchObject({ txid, hash: txid, size: hex.length / 2, hex, blockhash: blockHash, blockheight: 121 });
    expect(Object.keys(view.vin[0]).join(' ')).toBe('txid vout scriptSig sequence');
    expect(view.vin[0].scriptSig.asm).toMatch(/^30[0-9a-f]+\[ALL\|FORKID\] 0[23][0-9a-f]{64}$/);
    expect(view.vout[0].scriptPubKey.asm).toMatch(
      / OP_EQUALVERIFY OP_CHECKSIG 0 OP_IF 6582895 1 746578742f706c61696e 0 68656c6c6f OP_ENDIF OP_RETURN /,
    );
    expect(view.vout[2]).toMatchObject({ value: 0, scriptPubKey: { type: 'nulldata' } });
    expect(await keysOf('getrawtransaction', txidOf(waiting), true)).toBe(
      'txid hash version size locktime vin vout hex',
    );
    expect(await keysOf('decoderawtransaction', hex)).toBe('txid hash version size locktime vin vout hex');
    expect(await failureOf('getrawtransaction', ghost)).toMatch(/^-5 No such mempool or blockchain transaction\. /);
    expect(await failureOf('getrawtransaction', txid, 'true')).toBe(
      '-3 Invalid type provided. Verbose parameter must be a boolean.',
    );
    expect(await failureOf('decoderawtransaction', 'abcd')).toBe('-22 TX decode failed');
    expect(await failureOf('decoderawtransaction', 5)).toBe('-3 Expected type string, got number');
  });

  it('decode scripts', async () => {
    expect(await keysOf('decodescript', toHex(other))).toBe('asm hex reqSigs type addresses p2sh');
    expect(await call('decodescript', '')).toMatchObject({ asm: '', hex: '', type: 'nonstandard' });
    const p2sh = await call<{ p2sh: string }>('decodescript', toHex(other));
    expect(p2sh.p2sh).toMatch(/^2[1-9A-HJ-NP-Za-km-z]{34}$/);
    expect(await call('decodescript', `a914${'11'.repeat(20)}87`)).toEqual({
      asm: `OP_HASH160 ${'11'.repeat(20)} OP_EQUAL`,
      hex: `a914${'11'.repeat(20)}87`,
      reqSigs: 1,
      type: 'scripthash',
      addresses: [expect.stringMatching(/^2/)],
    });
    const old: Tx = {
      ...mined,
      outputs: [
        { satoshis: satoshis(1), script: fromHex(`a914${'11'.repeat(20)}87`) },
        { satoshis: satoshis(0), script: fromHex('6a0101') },
      ],
    };
    expect(await call('decoderawtransaction', toHex(serializeTx(old)))).toMatchObject({
      vout: [{ scriptPubKey: { type: 'scripthash' } }, { scriptPubKey: { type: 'nulldata' } }],
    });
    const today = toHex(serializeTx({ ...old, outputs: old.outputs.slice(1) }));
    expect(await call('decoderawtransaction', today)).toMatchObject({
      vout: [{ scriptPubKey: { type: 'nonstandard' } }],
    });
    expect(await failureOf('decodescript', 'x')).toMatch(/^-8 argument must be hexadecimal string \(not 'x'\)/);
  });

  it('send transactions and say why they are refused', async () => {
    const coin = await coinOf(opened.node, walletKey);
    const pay = (value: number) => toHex(serializeTx(spend([coin], walletKey, [{ satoshis: value, script: other }])));
    expect(await failureOf('sendrawtransaction', 'abcd')).toBe('-22 TX decode failed');
    expect(await failureOf('sendrawtransaction', pay(COIN))).toBe('-26 66: mempool min fee not met');
    expect(await failureOf('sendrawtransaction', pay(COIN - 20_000_000))).toBe('-26 256: absurdly-high-fee');
    expect(await failureOf('sendrawtransaction', pay(COIN - 500), 'yes')).toBe('-3 Expected type bool, got string');
    const missing = spend([{ ...coin, vout: 3 }], walletKey, [{ satoshis: 5, script: other }]);
    expect(await failureOf('sendrawtransaction', toHex(serializeTx(missing)))).toBe('-25 Missing inputs');
    const sent = pay(COIN);
    const txid = await call<string>('sendrawtransaction', sent, false, true);
    expect(txid).toBe(txidOf(fromHex(sent)));
    expect(await call('sendrawtransaction', sent, false, true)).toBe(txid);
    expect(await failureOf('sendrawtransaction', sent)).toBe('-27 Transaction already in the mempool');
    expect(await failureOf('sendrawtransaction', pay(COIN - 500))).toBe('-26 258: txn-mempool-conflict');
    expect(await failureOf('sendrawtransaction', toHex(serializeTx(mined)))).toBe('-26 257: txn-already-known');
  });
});

describe('control and mining commands', () => {
  it('describe the node', async () => {
    expect(await keysOf('getinfo')).toBe(
      'version protocolversion initcomplete blocks timeoffset connections proxy difficulty testnet stn relayfee errors maxblocksize maxminedblocksize maxstackmemoryusagepolicy maxstackmemoryusageconsensus',
    );
    expect(await call('getinfo')).toMatchObject({ version: 101020200, protocolversion: 70016 });
    expect(await keysOf('getnetworkinfo')).toBe(
      'version subversion protocolversion localservices localrelay timeoffset txnpropagationfreq txnpropagationqlen networkactive connections addresscount streampolicies networks relayfee minconsolidationfactor maxconsolidationinputscriptsize minconfconsolidationinput minconsolidationinputmaturity acceptnonstdconsolidationinput localaddresses warnings',
    );
  });

  it('mine to the faucet or to an address of the test network', async () => {
    const fresh = await openTestNode();
    const own = createNodeRpc(fresh.node);
    const hashes = (await own.dispatch('generate', [2])) as string[];
    expect(hashes).toHaveLength(2);
    expect(fresh.node.tip().hash).toBe(hashes[1]);
    const [hash] = (await own.dispatch('generatetoaddress', [1, encodeAddress(otherHash, 'test')])) as string[];
    const raw = (await own.dispatch('getblock', [hash, 3])) as { tx: { hex: string }[] };
    expect(parseTx(fromHex(raw.tx[0]?.hex ?? '')).outputs[0]).toEqual({ satoshis: satoshis(COIN), script: other });
    await expect(own.dispatch('generatetoaddress', [1, encodeAddress(otherHash, 'main')])).rejects.toMatchObject({
      code: -5,
      message: 'Error: Invalid address',
    });
    await expect(own.dispatch('generate', [-1])).rejects.toMatchObject({ code: -8 });
    await expect(own.dispatch('generate', [1_000_000])).rejects.toMatchObject({ code: -8 });
    expect(fresh.node.tip().height).toBe(123);
    await fresh.remove();
  });
});
