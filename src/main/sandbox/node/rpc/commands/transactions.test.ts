import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  encodeAddress,
  fromHex,
  satoshis,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
  verifyTscProof,
} from '../../../../../chain/index.ts';
import { type TestNode, walletKey } from '../../test-support/open-node.ts';
import { COIN, ghost, HEADER, other, otherHash, RpcWorld, textOf } from '../../test-support/rpc-world.ts';
import { coinOf, spend } from '../../test-support/spend.ts';
import type { NodeRpcDispatcher } from '../dispatcher.ts';

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

describe('output commands', () => {
  it('gettxout includes or excludes the mempool', async () => {
    const txid = txidOf(mined);
    expect(await keysOf('gettxout', txid, 0)).toBe('bestblock confirmations value scriptPubKey coinbase confiscation');
    expect(await textOf(await rpc.dispatch('gettxout', [txid, 0]))).toContain('"value":0.00000001,');
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

  it('gettxouts returns many outputs at once, with their spenders', async () => {
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
    expect(await failureOf('gettxouts', [null], ['*'])).toBe('-1 JSON value is not an object as expected');
    expect(await failureOf('gettxouts', [{ txid: 'ab', n: 0 }], ['*'])).toBe('-32602 txid is in wrong format');
    expect(await failureOf('gettxouts', [{ txid, n: '0' }], ['*'])).toBe('-32602 vout is not an integer');
  });
});

describe('proof commands', () => {
  it('create and verify a Merkle block', async () => {
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

  it('create a Merkle branch, in the old and the new format', async () => {
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

  it('verifymerkleproof names the invalid field', async () => {
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
  it('return transactions as hex and as objects', async () => {
    const txid = txidOf(mined);
    const hex = toHex(serializeTx(mined));
    expect(await call('getrawtransaction', txid)).toBe(hex);
    expect(await call('getrawtransaction', txid, 0)).toBe(hex);
    const text = await textOf(await rpc.dispatch('getrawtransaction', [txid, 1]));
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

  it('send transactions and report why they are refused', async () => {
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
