import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeAddress, fromHex, parseTx, satoshis, serializeTx, type Tx, txidOf } from '../../../../chain/index.ts';
import { openTestNode, otherKey, type TestNode } from '../test-support/open-node.ts';
import { COIN, ghost, HEADER, other, otherHash, RpcWorld, textOf } from '../test-support/rpc-world.ts';
import { accepted, outputCoin, spend } from '../test-support/spend.ts';
import { createNodeRpc, type NodeRpcDispatcher } from './dispatcher.ts';

let world: RpcWorld;
let opened: TestNode;
let rpc: NodeRpcDispatcher;
let mined: Tx;
let waiting: Tx;
let blockHash = '';
beforeAll(async () => {
  world = await RpcWorld.open();
  ({ opened, rpc, mined, waiting, blockHash } = world);
});
afterAll(() => opened.remove());

const call = <T = Record<string, unknown>>(method: string, ...params: unknown[]): Promise<T> =>
  world.call<T>(method, ...params);
const keysOf = (method: string, ...params: unknown[]): Promise<string> => world.keysOf(method, ...params);
const failureOf = (method: string, ...params: unknown[]): Promise<string> => world.failureOf(method, ...params);

describe('all commands', () => {
  it('are those of the gateway and the node’s own five', () => {
    const gateway =
      'getbestblockhash getblock getblockbyheight getblockchaininfo getblockcount getblockhash getblockheader getblockstats getblockstatsbyheight getchaintips getchaintxstats getdifficulty getmempoolancestors getmempooldescendants getmempoolentry getmempoolinfo getmerkleproof getmerkleproof2 getrawmempool getrawnonfinalmempool gettxout gettxoutproof gettxouts gettxoutsetinfo verifymerkleproof verifytxoutproof decoderawtransaction decodescript getrawtransaction getnetworkinfo getinfo help';
    const own = 'sendrawtransaction generate generatetoaddress invalidateblock reconsiderblock';
    expect([...rpc.commands]).toEqual(`${gateway} ${own}`.split(' ').sort());
  });

  it('have help, and return it for too many parameters', async () => {
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

  it('accept named parameters and aliases, and fill gaps with null', async () => {
    const raw = await textOf(await rpc.dispatch('getblock', { blockhash: blockHash, verbose: 0 }));
    expect(raw).toBe(await textOf(await rpc.dispatch('getblock', [blockHash, 0])));
    expect(await textOf(await rpc.dispatch('getblock', { verbosity: 0, blockhash: blockHash }))).toBe(raw);
    expect(await rpc.dispatch('gettxout', { include_mempool: true, txid: txidOf(mined), n: 0 })).not.toBeNull();
    expect(await rpc.dispatch('getchaintxstats', { blockhash: blockHash })).toMatchObject({ window_block_count: 120 });
    await expect(rpc.dispatch('gettxout', { txid: ghost, include_mempool: true })).rejects.toMatchObject({
      message: 'JSON value is not an integer as expected',
    });
  });
});

describe('chain commands', () => {
  it('report the tip and the state of the chain', async () => {
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

  it('return headers in three formats', async () => {
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
      tx: [{ vin: [{ sequence: 0xffffffff }], vout: [{ value: 50.0001 }] }],
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

  it('return blocks in four formats, by hash and by height', async () => {
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

  it('summarise the UTXO set', async () => {
    expect(await keysOf('gettxoutsetinfo')).toBe(
      'height bestblock transactions txouts bogosize hash_serialized disk_size total_amount',
    );
    // the first block's coinbase is not spendable; one coinbase was spent for two outputs
    expect(await call('gettxoutsetinfo')).toMatchObject({ transactions: 121, txouts: 122, total_amount: 121 * 50 });
    expect(await textOf(await rpc.dispatch('gettxoutsetinfo'))).toContain('"total_amount":6050.00000000}');
  });
});

describe('mempool commands', () => {
  it('list the mempool with ancestors and descendants', async () => {
    const { node } = opened;
    const txid = txidOf(waiting);
    const child = spend([outputCoin(waiting, txid, 0)], otherKey, [{ satoshis: COIN - 30_001, script: other }]);
    const childId = await accepted(node, child);
    expect(await keysOf('getmempoolinfo')).toBe(
      'size journalsize nonfinalsize bytes usage usagedisk usagecpfp nonfinalusage maxmempool maxmempoolsizedisk maxmempoolsizecpfp mempoolminfee',
    );
    expect(await textOf(await rpc.dispatch('getmempoolinfo'))).toMatch(/"mempoolminfee":0\.00000250}$/);
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
    const raw = JSON.parse(JSON.stringify(await own.dispatch('getblock', [hash, 3]))) as { tx: { hex: string }[] };
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
