import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex, txidOf } from '../../../chain/index.ts';
import type { Operation } from '../../open-api/parts.ts';
import { Described } from '../../open-api/test-support/described.ts';
import { spend, submit } from '../test-support/merchant.ts';
import { described, outputBody, refused, TestSandbox, walletAddress } from '../test-support/open-sandbox.ts';
import { Receiver } from '../test-support/receiver.ts';
import { arcDocument } from './arc.ts';
import { controlsDocument } from './controls.ts';
import { mapiDocument } from './mapi.ts';
import { tokenDocument } from './token.ts';

let sandbox: TestSandbox;
let receiver: Receiver;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
  receiver = await Receiver.open();
});
afterAll(async () => {
  await sandbox.remove();
  await receiver.close();
});

/** Each exchange of the sandbox's tests is held against the documents; these name every operation at least once. */
describe('the documents of the sandbox', () => {
  it('describe every operation: token project API, quota, merchant API, ARC and controls', async () => {
    for (const one of described) one.seen.clear();
    const { projectUid, outputUid, transactionUid, tx } = await sandbox.prepareMint();
    await sandbox.submit(transactionUid, tx);
    const draft = await sandbox.createOutput(projectUid);
    const { metadata, contentType } = outputBody(projectUid) as { metadata: { name: string }; contentType: string };
    await sandbox.token('PUT', `/token/one-sat-ord/update-output/${draft}`, {
      contentType,
      metadata: { name: metadata.name },
    });
    await sandbox.token('DELETE', `/output/${draft}`);
    await sandbox.token('DELETE', `/output/${outputUid}`);
    await sandbox.outputsOf(projectUid, '?on-chain=1');
    await sandbox.token('GET', '/project');
    await sandbox.token('GET', `/project/${projectUid}`);
    const apikey = sandbox.service.apiKey();
    for (const base of ['/token/v1', '/console/v1']) {
      await sandbox.send('GET', `${base}/quota`, undefined, { apikey });
      await sandbox.send('POST', `${base}/quota/keys`, { apiKeys: [apikey] }, { apikey });
    }

    sandbox.set({ mapiVersion: '1.5.0' });
    await sandbox.mapi('GET', '/feeQuote');
    await sandbox.mapi('GET', '/policyQuote');
    const coin = await sandbox.coin();
    await sandbox.mapi('POST', '/tx', { rawTx: toHex(spend(coin)) });
    await sandbox.mapi('POST', '/txs', [{ rawTx: toHex(spend(await sandbox.coin())) }]);
    await sandbox.mapi('GET', `/tx/${coin.txid}`);
    await sandbox.mapi('POST', '/txouts', [{ txid: coin.txid, n: 0 }]);

    await sandbox.arc('GET', '/policy');
    await sandbox.arc('GET', '/health');
    const other = await sandbox.coin();
    await sandbox.arc('POST', '/tx', { rawTx: toHex(spend(other)) });
    await sandbox.arc('POST', '/txs', [
      { rawTx: toHex(spend(await sandbox.coin())) },
      { rawTx: toHex(spend(coin, 900)) },
    ]);
    await sandbox.arc('GET', `/tx/${(await sandbox.arc('POST', '/tx', { rawTx: toHex(spend(other)) })).body.txid}`);

    await sandbox.admin('POST', '/fund', { address: walletAddress, satoshis: 1_000 });
    await sandbox.admin('POST', '/mine', { blocks: 1 });
    await sandbox.admin('POST', '/reorg', { depth: 1 });
    await sandbox.admin('POST', '/double-spend', { txid: coin.txid });
    await sandbox.admin('POST', '/relay', { rawTx: toHex(spend(await sandbox.coin())) });
    await sandbox.admin('POST', '/freeze', { txid: coin.txid, vout: coin.vout, list: null });
    await sandbox.admin('POST', '/keys', { sameUser: true });
    await sandbox.admin('POST', '/faults', { name: 'latency', times: 1 });
    await sandbox.admin('GET', '/status');
    await sandbox.admin('DELETE', '/faults');
    await sandbox.admin('POST', '/clock', { at: null });
    await sandbox.admin('POST', '/snapshots', { name: 'before' });
    await sandbox.admin('GET', '/status');
    await sandbox.admin('POST', '/revert', { name: 'before' });
    await sandbox.admin('DELETE', '/snapshots/before');
    await sandbox.admin('POST', '/reset', {});

    // the funding of the data-writing client has clients of its own: merchant/data-funding.test.ts; export and import move files
    const elsewhere = /\/(?:pubkey|txTemplates|submitTransactions|export|import)$/;
    expect(described.flatMap((one) => one.unseen()).filter((name) => !elsewhere.test(name))).toEqual([]);
  });

  it('describe an edit with its own metadata: those of a new output are refused', async () => {
    const uid = await sandbox.createOutput(await sandbox.createProject());
    const document = new Described(tokenDocument);
    const { metadata } = outputBody('') as { metadata: Record<string, string> };
    const fixed = Object.keys(metadata).filter((key) => ['type', 'subType', 'subTypeData'].includes(key));
    const edit = (sent: object) => sandbox.token('PUT', `/token/one-sat-ord/update-output/${uid}`, { metadata: sent });
    const holds = (sent: object) => {
      const [method, path, status] = ['PUT', `/token/one-sat-ord/update-output/${uid}`, 200];
      const text = JSON.stringify({ success: true, data: { uid, type: 'token', tokenProtocol: 'OneSatOrdinal' } });
      const exchange = { method, path, sent: { metadata: sent }, status, contentType: 'application/json', text };
      return () => document.hold(exchange);
    };
    const { phase, name, description } = metadata;
    for (const sent of [{ name }, { name, phase }, { name, description }]) {
      expect((await edit(sent)).status).toBe(200);
      expect(holds(sent)).not.toThrow();
    }
    const refusedOnes = [{ phase }, { name, app: 'x' }, ...fixed.map((key) => ({ name, [key]: metadata[key] }))];
    for (const sent of [metadata, ...refusedOnes]) {
      expect(await edit(sent)).toMatchObject(refused(422, 'metadata-invalid'));
      expect(holds(sent), JSON.stringify(sent)).toThrow('metadata');
    }
  });

  it('describe the callbacks of the merchant API, for every reason, and of ARC', async () => {
    const [mapi, arc] = [new Described(mapiDocument), new Described(arcDocument)];
    const callbackUrl = `${receiver.url}/mapi`;
    const coin = await sandbox.coin();
    const attacked = spend(coin);
    await submit(sandbox, attacked, { callbackUrl, dsCheck: true });
    await sandbox.mapi('POST', '/tx', { rawTx: toHex(spend(coin, 400)) });
    await sandbox.admin('POST', '/double-spend', { txid: txidOf(attacked) });
    await submit(sandbox, spend(await sandbox.coin()), { callbackUrl, merkleProof: true, merkleFormat: 'TSC' });
    await sandbox.arc(
      'POST',
      '/tx',
      { rawTx: toHex(spend(await sandbox.coin())) },
      { 'x-callbackurl': `${receiver.url}/arc` },
    );
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(4);
    const reasons = new Set<string>();
    for (const { path, body } of receiver.got) {
      const message = JSON.parse(body.toString('utf8'));
      (path === '/arc' ? arc : mapi).holdWebhook('callback', message);
      if (path === '/mapi') reasons.add(JSON.parse(message.payload).callbackReason);
    }
    expect([...mapi.seen, ...arc.seen]).toEqual(['webhook callback', 'webhook callback']);
    expect([...reasons].sort()).toEqual(['doubleSpend', 'doubleSpendAttempt', 'merkleProof']);
  });

  it('say that a control has a body, which may be `{}`', async () => {
    for (const path of ['/keys', '/reset']) {
      const { requestBody }: Partial<Operation> = controlsDocument.paths[path]?.post ?? {};
      expect((await sandbox.admin('POST', path)).status, path).toBe(415);
      expect(requestBody?.required, path).toBe(true);
      const example = requestBody?.content['application/json']?.example;
      expect(example, path).toEqual({});
      expect((await sandbox.admin('POST', path, example)).status, path).toBe(200);
    }
  });
});
