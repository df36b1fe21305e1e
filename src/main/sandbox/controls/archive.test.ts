import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refused, sign, TestSandbox, walletAddress } from '../test-support/open-sandbox.ts';

const open = TestSandbox.ofTest;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'planchet-export-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const height = (sandbox: TestSandbox): number => sandbox.service.node.tip().height;
const names = (body: { data: { outputList: { metadata: { name: string } }[] } }): string[] =>
  body.data.outputList.map(({ metadata }) => metadata.name);
describe('snapshots of the sandbox', () => {
  it('restore blocks, waiting transactions and tokens at the same addresses', async () => {
    const sandbox = await open();
    const endpoints = sandbox.service.endpoints();
    const projectUid = await sandbox.createProject();
    await sandbox.createOutput(projectUid, {}, { name: 'kept' });
    const waiting = await sandbox.coin();
    const taken = await sandbox.admin('POST', '/snapshots', { name: 'before' });
    const { hash } = sandbox.service.node.tip();
    expect(taken.body.data).toMatchObject({ name: 'before', takenAt: sandbox.clock.now(), tip: { hash, height: 120 } });
    expect(await sandbox.admin('POST', '/snapshots', { name: 'before' })).toMatchObject(refused(409, 'conflict'));

    await sandbox.service.mine({ blocks: 3 });
    await sandbox.createOutput(projectUid, { b64File: Buffer.from('other').toString('base64') }, { name: 'lost' });
    for (let round = 0; round < 2; round++) {
      expect((await sandbox.admin('POST', '/revert', { name: 'before' })).body).toEqual({ success: true, data: {} });
      expect(sandbox.service.endpoints()).toEqual(endpoints);
      expect(height(sandbox)).toBe(120);
      expect(sandbox.service.node.mempool.txids()).toEqual([waiting.txid]);
      expect(names((await sandbox.token('GET', `/output/by-project/${projectUid}`)).body)).toEqual(['kept']);
      await sandbox.service.mine({ blocks: 1 });
    }
    await sandbox.restart();
    expect(height(sandbox)).toBe(121);
    await sandbox.admin('DELETE', '/snapshots/before');
    expect(await sandbox.admin('POST', '/revert', { name: 'before' })).toMatchObject(refused(404, 'not-found'));
    expect(await sandbox.admin('POST', '/snapshots', { name: '../x' })).toMatchObject(refused(400, 'invalid-request'));
  });

  it('let requests wait while the network is replaced', async () => {
    const sandbox = await open();
    await sandbox.service.snapshots.take({ name: 'start' });
    const reverting = sandbox.service.snapshots.revert({ name: 'start' });
    const quotes = await Promise.all(
      Array.from({ length: 20 }, () => sandbox.send('GET', '/mapi/feeQuote', undefined, bearer)),
    );
    await reverting;
    // without the key's name known meanwhile, 401 is an answer of the network too
    expect(new Set(quotes.map(({ status }) => status))).toEqual(new Set([401]));
  });
});

const bearer = { authorization: 'Bearer unknown' };

describe('a new network', () => {
  it('is equal for the same seed, and different without one', async () => {
    const sandbox = await open();
    const first = sandbox.service.node.tip().hash;
    await sandbox.admin('POST', '/reset', { seed: 'a' });
    const seeded = sandbox.service.node.tip();
    expect(seeded).toMatchObject({ height: 120 });
    await sandbox.service.mine({ blocks: 2 });
    await sandbox.admin('POST', '/reset', { seed: 'b' });
    expect(sandbox.service.node.tip().hash).not.toBe(seeded.hash);
    await sandbox.admin('POST', '/reset', { seed: 'a' });
    expect(sandbox.service.node.tip()).toEqual(seeded);
    await sandbox.restart();
    expect((await sandbox.service.status()).seed).toBe('a');
    await sandbox.admin('POST', '/reset', {});
    expect((await sandbox.service.status()).seed).toBeNull();
    expect(sandbox.service.node.tip().hash).toBe(first);
    expect((await sandbox.token('GET', '/project')).status).toBe(200);
  });
});

describe('an exported network', () => {
  it('is one file that another sandbox can import, including tokens and keys', async () => {
    const [here, there] = [await open(), await open()];
    const { tx, transactionUid, projectUid } = await here.prepareMint();
    await here.submit(transactionUid, tx);
    await here.service.mine({ blocks: 1 });
    const file = join(folder(), 'network.planchet');
    const answer = await fetch(`${here.root}/admin/export`, {
      headers: { authorization: `Bearer ${here.service.apiKey()}` },
    });
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));

    const imported = await there.send('POST', '/admin/import', readFileSync(file), {
      authorization: `Bearer ${there.service.apiKey()}`,
    });
    expect(imported.body).toEqual({ success: true, data: {} });
    expect(there.service.node.tip()).toEqual(here.service.node.tip());
    const [output] = await there.outputsOf(projectUid, '?on-chain=1');
    expect(output.metadata.name).toBe('Moon');
    // the faucet's key came along
    expect((await there.service.fund({ address: walletAddress, satoshis: 1_000 })).txid).toMatch(/^[0-9a-f]{64}$/);
    const again = await there.createProject();
    const uid = await there.createOutput(again);
    const { body } = await there.createTransaction(again, [uid]);
    expect((await there.submit(body.data.transactionUid, sign(body.data.txObj))).status).toBe(200);
  });

  it('is validated before anything is replaced', async () => {
    const sandbox = await open();
    const good = join(folder(), 'good');
    await sandbox.service.export({ file: good });
    await expect(sandbox.service.export({ file: good })).rejects.toMatchObject({ code: 'conflict' });
    await sandbox.service.mine({ blocks: 1 });
    const bad = (name: string, bytes: Uint8Array | string): string => {
      const file = join(folder(), name);
      writeFileSync(file, bytes);
      return file;
    };
    const bytes = readFileSync(good);
    const trigger = bad('trigger', bytes);
    const database = new Database(trigger);
    database.exec('CREATE TRIGGER t AFTER INSERT ON sandbox_state BEGIN DELETE FROM node_utxos; END');
    database.close();
    const torn = bytes.map((byte, at) => (at > 8_192 && at < 40_960 ? byte ^ 0x5a : byte));
    for (const file of [bad('text', 'hello'), bad('cut', bytes.subarray(0, 20_000)), bad('torn', torn), trigger]) {
      await expect(sandbox.service.import({ file })).rejects.toMatchObject({ code: 'invalid-input' });
    }
    await expect(sandbox.service.import({ file: join(folder(), 'none') })).rejects.toMatchObject({ code: 'not-found' });
    const sent = await sandbox.send('POST', '/admin/import', Buffer.from('hello'), {
      authorization: `Bearer ${sandbox.service.apiKey()}`,
    });
    // the file that was sent has no name, and no path of this machine is told
    const error = { code: 'invalid-request', message: 'The file is not an exported sandbox.' };
    expect(sent).toMatchObject({ status: 400, body: { success: false, error } });
    expect(height(sandbox)).toBe(121);
  });

  it('that does not open leaves the previous network in place', async () => {
    const sandbox = await open();
    const file = join(folder(), 'newer');
    await sandbox.service.export({ file });
    const database = new Database(file);
    database.exec("INSERT INTO kysely_migration (name, timestamp) VALUES ('node-9999-later', '2030')");
    database.close();
    await sandbox.service.mine({ blocks: 1 });
    await expect(sandbox.service.import({ file })).rejects.toMatchObject({ code: 'store-failed' });
    expect(height(sandbox)).toBe(121);
    await sandbox.restart();
    expect(height(sandbox)).toBe(121);
  });
});
