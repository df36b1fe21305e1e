import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromHex, parseInscription, parseTx, parseTxObj, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import {
  asReference,
  otherKey,
  publicKeyOf,
  refused,
  sign,
  TestSandbox,
  walletAddress,
} from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
}

describe('transactions of the token API', () => {
  it('contain several outputs in order and spend several coins', async () => {
    const projectUid = await sandbox.createProject();
    const names = ['A', 'B', 'C'];
    const uids: string[] = [];
    for (const name of names) uids.push(await sandbox.createOutput(projectUid, {}, { name }));
    const coins = [await sandbox.coin(), await sandbox.coin()];
    const { body } = await sandbox.createTransaction(projectUid, [...uids].reverse(), {
      utxoList: coins.map(asReference),
    });
    const { tx, spent, changeIndex } = parseTxObj(body.data.txObj);
    expect(spent.map(({ txid, vout, satoshis }) => ({ txid, vout, satoshis }))).toEqual(coins);
    expect(changeIndex).toBe(3);
    expect(tx.outputs.slice(0, 3).map(({ script }) => parseInscription(script)?.map.name)).toEqual(['C', 'B', 'A']);
    expect(await sandbox.submit(body.data.transactionUid, sign(body.data.txObj))).toMatchObject({ status: 200 });
  });

  it('leave small change to the miner and refuse insufficient funds', async () => {
    const projectUid = await sandbox.createProject();
    const uid = await sandbox.createOutput(projectUid);
    const coinOf = async (satoshis: number) => ({
      txId: (await sandbox.service.fund({ address: walletAddress, satoshis: satoshis })).txid,
      outputIndex: 0,
    });
    expect(await sandbox.createTransaction(projectUid, [uid], { utxoList: [await coinOf(200)] })).toMatchObject(
      refused(422, 'funds-insufficient'),
    );
    const { body } = await sandbox.createTransaction(projectUid, [uid], { utxoList: [await coinOf(700)] });
    expect(body.data.txObj.outputs).toHaveLength(1);
    expect(body.data.txObj).not.toHaveProperty('changeIndex');
    expect(await sandbox.submit(body.data.transactionUid, sign(body.data.txObj))).toMatchObject({ status: 200 });
  });

  it('refuse coins that are spent, unknown, tokens, immature or of another key', async () => {
    const projectUid = await sandbox.createProject();
    const uid = await sandbox.createOutput(projectUid);
    const mint = await sandbox.prepareMint();
    const { txId } = (await sandbox.submit(mint.transactionUid, mint.tx)).body.data;
    const spent = parseTx(fromHex(mint.tx)).inputs[0] as { txid: string; vout: number };
    const [hash] = await sandbox.service.node.mine(1, parseTx(fromHex(mint.tx)).outputs[1]?.script as Uint8Array);
    const rpc = new URL(sandbox.service.endpoints().bitcoinRpcUrl);
    const authorization = `Basic ${Buffer.from(`${rpc.username}:${rpc.password}`).toString('base64')}`;
    const block = await sandbox.send('POST', '/rpc', { id: 1, method: 'getblock', params: [hash] }, { authorization });
    const unusable = [
      asReference(spent),
      { txId: 'ab'.repeat(32), outputIndex: 0 },
      { txId, outputIndex: 0 },
      { txId, outputIndex: 2 },
      { txId: block.body.result.tx[0], outputIndex: 0 },
    ];
    for (const reference of unusable) {
      const answer = await sandbox.createTransaction(projectUid, [uid], { utxoList: [reference] });
      expect(answer, JSON.stringify(reference)).toMatchObject(refused(422, 'utxo-unusable'));
    }
    const publicKey = toHex(publicKeyOf(otherKey));
    expect(await sandbox.createTransaction(projectUid, [uid], { publicKey })).toMatchObject(
      refused(422, 'utxo-unusable'),
    );
  });

  it('are refused for an invalid request, and leave the outputs unused', async () => {
    const projectUid = await sandbox.createProject();
    const uid = await sandbox.createOutput(projectUid);
    const foreign = await sandbox.createOutput(await sandbox.createProject());
    const coin = asReference(await sandbox.coin());
    const build = (changes: Record<string, unknown>, outputs = [uid]) =>
      sandbox.createTransaction(projectUid, outputs, { utxoList: [coin], ...changes });
    expect(await build({}, [foreign])).toMatchObject(refused(404, 'not-found'));
    expect(await build({ projectUid: 'x' })).toMatchObject(refused(404, 'not-found'));
    expect(await build({}, [])).toMatchObject(refused(400, 'invalid-request'));
    expect(await build({}, [uid, uid])).toMatchObject(refused(400, 'invalid-request'));
    expect(await build({ utxoList: [] })).toMatchObject(refused(400, 'invalid-request'));
    expect(await build({ utxoList: [coin, coin] })).toMatchObject(refused(400, 'invalid-request'));
    expect(await build({ utxoList: [{ ...coin, outputIndex: -1 }] })).toMatchObject(refused(400, 'invalid-request'));
    expect(await build({ utxoList: [{ ...coin, txId: 'xyz' }] })).toMatchObject(refused(400, 'invalid-request'));
    expect(await build({ dstAddress: 'nonsense' })).toMatchObject(refused(422, 'address-invalid'));
    expect(await build({ dstAddress: '1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i' })).toMatchObject(
      refused(422, 'address-wrong-network'),
    );
    for (const publicKey of ['', `04${'11'.repeat(64)}`, `02${'ff'.repeat(32)}`]) {
      expect(await build({ publicKey })).toMatchObject(refused(422, 'public-key-invalid'));
    }
    expect((await sandbox.outputsOf(projectUid))[0].transactionUid).toBeNull();
    expect(await build({})).toMatchObject({ status: 200 });
  });

  it('link items to their collection on the chain, or before them in the same transaction', async () => {
    const projectUid = await sandbox.createProject('collection');
    const seed = await sandbox.createOutput(projectUid, {}, { subType: 'collection' });
    const item = (collectionId: string) =>
      sandbox.createOutput(
        projectUid,
        {},
        { subType: 'collectionItem', subTypeData: JSON.stringify({ collectionId }) },
      );
    const early = await item('');
    const late = await item('');
    expect(await sandbox.createTransaction(projectUid, [early])).toMatchObject(refused(422, 'collection-missing'));
    expect(await sandbox.createTransaction(projectUid, [early, seed])).toMatchObject(
      refused(422, 'collection-missing'),
    );
    const { body } = await sandbox.createTransaction(projectUid, [seed, early]);
    const { txId } = (await sandbox.submit(body.data.transactionUid, sign(body.data.txObj))).body.data;
    // made before the collection, so it names none and can go nowhere but into the transaction of the collection
    expect(await sandbox.createTransaction(projectUid, [late])).toMatchObject(refused(422, 'collection-missing'));
    const right = await item(`${txId}_0`);
    expect(await sandbox.createTransaction(projectUid, [right])).toMatchObject({ status: 200 });
  });

  it('assign an output to one of two concurrent requests', async () => {
    const projectUid = await sandbox.createProject();
    const uid = await sandbox.createOutput(projectUid);
    const utxoList = [asReference(await sandbox.coin())];
    const answers = await Promise.all([1, 2, 3].map(() => sandbox.createTransaction(projectUid, [uid], { utxoList })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });
});

describe('submitting to the token API', () => {
  it('answers the same bytes with the same txid, also for concurrent requests', async () => {
    const { transactionUid, tx, projectUid } = await sandbox.prepareMint();
    const before = (await sandbox.token('GET', '/quota')).body.data.totalUsed;
    const answers = await Promise.all([
      sandbox.submit(transactionUid, tx),
      sandbox.submit(transactionUid, tx),
      sandbox.submit(transactionUid, tx.toUpperCase()),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, data: { txId: txidOf(fromHex(tx)) } });
    }
    expect((await sandbox.submit(transactionUid, tx)).body.data.txId).toBe(txidOf(fromHex(tx)));
    expect((await sandbox.token('GET', '/quota')).body.data.totalUsed).toBe(before + 1);
    expect(await sandbox.outputsOf(projectUid, '?on-chain=1')).toHaveLength(1);
    const otherwise = parseTx(fromHex(tx));
    const signedAgain = {
      ...otherwise,
      inputs: otherwise.inputs.map((input) => ({ ...input, script: new Uint8Array([0x51]) })),
    };
    expect(await sandbox.submit(transactionUid, toHex(serializeTx(signedAgain)))).toMatchObject(
      refused(409, 'already-submitted'),
    );
    expect(await sandbox.outputsOf(projectUid, '?on-chain=1')).toHaveLength(1);
  });

  it('accepts only the transaction that was built, and releases the outputs if it fails', async () => {
    const { transactionUid, tx, projectUid, outputUid } = await sandbox.prepareMint();
    const parsed = parseTx(fromHex(tx));
    const variants = [
      { ...parsed, version: 2 },
      { ...parsed, lockTime: 1 },
      { ...parsed, outputs: parsed.outputs.slice(0, 1) },
      { ...parsed, outputs: [...parsed.outputs].reverse() },
      { ...parsed, inputs: parsed.inputs.map((input) => ({ ...input, sequence: 0 })) },
      { ...parsed, inputs: parsed.inputs.map((input) => ({ ...input, vout: input.vout + 1 })) },
    ];
    for (const variant of variants) {
      expect(await sandbox.submit(transactionUid, toHex(serializeTx(variant)))).toMatchObject(
        refused(422, 'tx-different'),
      );
    }
    for (const malformed of ['', 'xyz', 'abc', `${tx}00`, tx.slice(2)]) {
      expect(await sandbox.submit(transactionUid, malformed)).toMatchObject(refused(422, 'tx-malformed'));
    }
    const unsigned = { ...parsed, inputs: parsed.inputs.map((input) => ({ ...input, script: new Uint8Array() })) };
    expect(await sandbox.submit(transactionUid, toHex(serializeTx(unsigned)))).toMatchObject(
      refused(422, 'tx-rejected'),
    );
    expect((await sandbox.outputsOf(projectUid))[0].transactionUid).toBeNull();

    expect(await sandbox.submit(transactionUid, tx)).toMatchObject({ status: 200 });
    expect((await sandbox.outputsOf(projectUid))[0]).toMatchObject({ uid: outputUid, transactionUid });
  });

  it('does not reclaim outputs that were edited or used after a failure', async () => {
    const first = await sandbox.prepareMint();
    await sandbox.submit(first.transactionUid, '00');
    await sandbox.token('PUT', `/token/one-sat-ord/update-output/${first.outputUid}`, { metadata: { name: 'Other' } });
    expect(await sandbox.submit(first.transactionUid, first.tx)).toMatchObject(refused(409, 'output-used'));

    const second = await sandbox.createTransaction(first.projectUid, [first.outputUid]);
    expect(second.status).toBe(200);
    expect(await sandbox.submit(first.transactionUid, first.tx)).toMatchObject(refused(409, 'output-used'));
    expect((await sandbox.outputsOf(first.projectUid))[0].transactionUid).toBe(second.body.data.transactionUid);
  });

  it('reports a coin spent by another transaction, even an identical one', async () => {
    const projectUid = await sandbox.createProject();
    const utxoList = [asReference(await sandbox.coin())];
    const build = async (name: string) => {
      const uid = await sandbox.createOutput(projectUid, {}, { name });
      const { body } = await sandbox.createTransaction(projectUid, [uid], { utxoList });
      return { transactionUid: body.data.transactionUid as string, tx: sign(body.data.txObj) };
    };
    const [first, same, other] = [await build('A'), await build('A'), await build('B')];
    expect(same.tx).toBe(first.tx);
    expect(await sandbox.submit(first.transactionUid, first.tx)).toMatchObject({ status: 200 });
    expect(await sandbox.submit(same.transactionUid, same.tx)).toMatchObject(refused(409, 'tx-conflict'));
    expect(await sandbox.submit(other.transactionUid, other.tx)).toMatchObject(refused(409, 'tx-conflict'));
    const left = await sandbox.outputsOf(projectUid, '?on-chain=0');
    expect(left.map((output: { transactionUid: unknown }) => output.transactionUid)).toEqual([null, null]);
  });

  it('refuses unknown transactions and those of another key', async () => {
    const { transactionUid, tx } = await sandbox.prepareMint();
    const { apiKey } = (await sandbox.admin('POST', '/keys', {})).body.data;
    expect(await sandbox.token('POST', '/submit', { transactionUid, tx }, { apikey: apiKey })).toMatchObject(
      refused(404, 'not-found'),
    );
    expect(await sandbox.submit('nothing', tx)).toMatchObject(refused(404, 'not-found'));
    expect(await sandbox.token('POST', '/submit', { transactionUid })).toMatchObject(refused(400, 'invalid-request'));
  });

  it('releases the outputs if a signature is invalid', async () => {
    const { transactionUid, tx, projectUid } = await sandbox.prepareMint();
    const parsed = parseTx(fromHex(tx));
    const inputs = parsed.inputs.map((input) => ({ ...input, script: flipped(input.script, 10) }));
    expect(await sandbox.submit(transactionUid, toHex(serializeTx({ ...parsed, inputs })))).toMatchObject(
      refused(422, 'tx-rejected'),
    );
    expect((await sandbox.outputsOf(projectUid))[0].transactionUid).toBeNull();
  });

  it('recognises a transaction that the node already has', async () => {
    const { transactionUid, tx } = await sandbox.prepareMint();
    await sandbox.mapi('POST', '/tx', { rawTx: tx });
    expect((await sandbox.submit(transactionUid, tx)).body.data.txId).toBe(txidOf(fromHex(tx)));
  });
});

describe('a submission interrupted by a crash', () => {
  it('is resolved at the next start, whether or not the node has the transaction', async () => {
    const own = await TestSandbox.open();
    try {
      const taken = await own.prepareMint();
      const lost = await own.prepareMint();
      await own.service.node.submit(fromHex(taken.tx));
      await own.service.stop();
      await own.edit(async (db) => {
        for (const { transactionUid, tx } of [taken, lost]) {
          await db
            .updateTable('token_transactions')
            .set({ state: 'submitting', tx_id: txidOf(fromHex(tx)) })
            .where('uid', '=', transactionUid)
            .execute();
        }
      });
      await own.service.start();
      const list = async (uid: string, onChain: number) =>
        (await own.token('GET', `/output/by-project/${uid}?on-chain=${onChain}`)).body.data.outputList;
      expect(await list(taken.projectUid, 1)).toMatchObject([{ transactionUid: taken.transactionUid }]);
      expect(await list(lost.projectUid, 0)).toMatchObject([{ transactionUid: null }]);
      expect((await own.token('GET', '/quota')).body.data.totalUsed).toBe(1);
    } finally {
      await own.remove();
    }
  });
});
