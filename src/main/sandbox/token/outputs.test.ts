import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TokenTables } from '../tables.ts';
import { CONTENT, outputBody, refused, sign, TestSandbox } from '../test-support/open-sandbox.ts';
import { SMALL_BYTES } from './content-files.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());
beforeEach(() => sandbox.set({}, { maxTokenBytes: 4_000_000 }));

const post = (path: string, body: unknown) => sandbox.token('POST', path, body);
const UID = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('outputs of the token API', () => {
  it('are created and listed with exactly the fields of the API', async () => {
    const projectUid = await sandbox.createProject();
    const { body } = await post('/token/one-sat-ord/create-output', outputBody(projectUid, {}, { app: 'Mine' }));
    expect(body).toEqual({ success: true, data: { uid: UID, type: 'token', tokenProtocol: 'OneSatOrdinal' } });
    expect(await sandbox.outputsOf(projectUid)).toEqual([
      {
        createdAt: '2026-11-21T12:00:00.000Z',
        uid: body.data.uid,
        projectUid,
        transactionUid: null,
        type: 'token',
        tokenProtocol: 'OneSatOrdinal',
        metadata: { ...(outputBody('').metadata as object), app: 'Mine' },
        offChainData: {
          b64FileHash: expect.stringMatching(/^[0-9a-f]{64}$/),
          b64FileSize: CONTENT.length,
          contentType: 'text/plain;charset=utf-8',
        },
      },
    ]);
  });

  it('are refused for invalid metadata, and nothing is stored', async () => {
    const projectUid = await sandbox.createProject();
    const bad: Record<string, unknown>[] = [
      { name: undefined },
      { name: ' ' },
      { type: 'nft' },
      { subType: 'pair' },
      { subTypeData: undefined },
      { subTypeData: '{' },
      { subTypeData: '[]' },
      { description: undefined },
      { eyes: '' },
      { eyes: '  ' },
      { eyes: 'a\u0000b' },
      { eyes: '\ud800' },
      { ' ': 'blank' },
      { huge: 'x'.repeat(70_000) },
    ];
    for (const metadata of bad) {
      const answer = await post('/token/one-sat-ord/create-output', outputBody(projectUid, {}, metadata));
      expect(answer, JSON.stringify(metadata).slice(0, 60)).toMatchObject(refused(422, 'metadata-invalid'));
    }
    expect(await post('/token/one-sat-ord/create-output', outputBody(projectUid, {}, { eyes: 2 }))).toMatchObject(
      refused(400, 'invalid-request'),
    );
    const poisoned = JSON.stringify(outputBody(projectUid)).replace('"phase"', '"__proto__"');
    expect(await post('/token/one-sat-ord/create-output', poisoned)).toMatchObject(refused(422, 'metadata-invalid'));
    expect(await sandbox.outputsOf(projectUid)).toEqual([]);
  });

  it('are refused if the file is not Base64, empty or too large', async () => {
    const projectUid = await sandbox.createProject();
    const create = (changes: Record<string, unknown>) =>
      post('/token/one-sat-ord/create-output', outputBody(projectUid, changes));
    for (const b64File of ['YQ', 'YQ=', 'YQ===', 'YR==', 'Y Q==', 'YQ==\n', '-_-_', 'data:text/plain;base64,YQ==']) {
      expect(await create({ b64File }), b64File).toMatchObject(refused(422, 'base64-invalid'));
    }
    expect(await create({ b64File: '' })).toMatchObject(refused(422, 'file-empty'));
    expect(await create({ contentType: ' ' })).toMatchObject(refused(422, 'content-type-invalid'));
    expect(await create({ contentType: "'text/plain;charset=utf-8'" })).toMatchObject({ status: 200 });
    sandbox.set({}, { maxTokenBytes: 10 });
    expect(await create({ b64File: Buffer.alloc(10).toString('base64') })).toMatchObject({ status: 200 });
    expect(await create({ b64File: Buffer.alloc(11).toString('base64') })).toMatchObject(refused(413, 'too-large'));
    expect(await create({ b64File: 'A'.repeat(2_000_000) })).toMatchObject(refused(413, 'too-large'));
  });

  it('refuse a body that exceeds the limit without declaring its length', async () => {
    sandbox.set({}, { maxTokenBytes: 10 });
    const answer = await fetch(`${sandbox.root}/token/v1/token/one-sat-ord/create-output`, {
      method: 'POST',
      headers: { apikey: sandbox.service.apiKey(), 'content-type': 'application/json' },
      body: new ReadableStream({
        start(controller) {
          for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(100_000).fill(32));
          controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
    expect(answer.status).toBe(413);
  });

  it('accept exactly the canonical Base64 of any bytes', async () => {
    const projectUid = await sandbox.createProject();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('A', 'Q', '/', '+', '=', '-', ' '), maxLength: 9 }),
        async (b64File) => {
          const { status } = await post('/token/one-sat-ord/create-output', outputBody(projectUid, { b64File }));
          const canonical = /^(?:[AQ/+]{4})*(?:[AQ/+]{4}|[AQ/+]{2}[AQ]=|[AQ/+][AQ]==)$/.test(b64File);
          expect(status === 200).toBe(canonical && b64File !== '');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('can be filtered by on-chain state and type', async () => {
    const projectUid = await sandbox.createProject('collection');
    const seed = await sandbox.createOutput(projectUid, {}, { subType: 'collection' });
    const item = await sandbox.createOutput(projectUid, {}, { subType: 'collectionItem' });
    const uids = async (query: string) =>
      (await sandbox.outputsOf(projectUid, query)).map(({ uid }: { uid: string }) => uid);
    expect(await uids('')).toEqual([seed, item]);
    expect(await uids('?type=collection')).toEqual([seed]);
    expect(await uids('?type=collectionItem&on-chain=0')).toEqual([item]);
    // a client of the service spells it without the dash
    expect(await uids('?type=collectionItem&onchain=0')).toEqual([item]);
    expect(await uids('?onchain=1&type=single')).toEqual([]);
    expect(await uids('?on-chain=1')).toEqual([]);
    for (const query of ['?on-chain=2', '?type=none', '?on-chain=']) {
      expect(await sandbox.token('GET', `/output/by-project/${projectUid}${query}`)).toMatchObject(
        refused(400, 'invalid-request'),
      );
    }
  });

  it('can be edited and deleted only while unused', async () => {
    const projectUid = await sandbox.createProject();
    const uid = await sandbox.createOutput(projectUid);
    const path = `/token/one-sat-ord/update-output/${uid}`;
    const edited = await sandbox.token('PUT', path, { metadata: { name: 'New moon', eyes: 'none' } });
    expect(edited.body).toEqual({ success: true, data: { uid, type: 'token', tokenProtocol: 'OneSatOrdinal' } });
    expect((await sandbox.outputsOf(projectUid))[0]).toMatchObject({ offChainData: { b64FileSize: CONTENT.length } });
    expect((await sandbox.outputsOf(projectUid))[0].metadata).toEqual({
      app: 'Planchet Sandbox',
      name: 'New moon',
      type: 'ord',
      subType: 'single',
      subTypeData: '{"description": "one moon"}',
      description: 'one moon',
      eyes: 'none',
    });
    await sandbox.token('PUT', path, { contentType: 'image/png', b64File: 'iVBORw==', metadata: { name: 'Image' } });
    expect((await sandbox.outputsOf(projectUid))[0].offChainData).toMatchObject({
      b64FileSize: 4,
      contentType: 'image/png',
    });
    for (const metadata of [
      {},
      { name: 'x', type: 'ord' },
      { name: 'x', subType: 'collection' },
      { name: 'x', app: 'y' },
    ]) {
      expect(await sandbox.token('PUT', path, { metadata })).toMatchObject(refused(422, 'metadata-invalid'));
    }

    const { body } = await sandbox.createTransaction(projectUid, [uid]);
    expect((await sandbox.outputsOf(projectUid))[0].transactionUid).toBe(body.data.transactionUid);
    expect(await sandbox.token('PUT', path, { metadata: { name: 'x' } })).toMatchObject(refused(409, 'output-used'));
    expect(await sandbox.token('DELETE', `/output/${uid}`)).toMatchObject(refused(409, 'output-used'));
    expect(await sandbox.createTransaction(projectUid, [uid])).toMatchObject(refused(409, 'output-used'));

    const other = await sandbox.createOutput(projectUid);
    const deleted = await sandbox.token('DELETE', `/output/${other}`, undefined, {
      'content-type': 'application/json',
    });
    expect(deleted.status).toBe(200);
    expect(Object.keys(deleted.body.data).sort()).toEqual(
      'address createdAt identityUid metadata offChainData projectUid tokenProtocol transactionUid txId type uid'.split(
        ' ',
      ),
    );
    expect(deleted.body.data).toMatchObject({
      uid: other,
      address: null,
      type: 'token',
      transactionUid: null,
      txId: null,
    });
    expect(await sandbox.token('DELETE', `/output/${other}`)).toMatchObject(refused(404, 'not-found'));
  });

  it('must match the type of their project', async () => {
    const single = await sandbox.createProject('single');
    const collection = await sandbox.createProject('collection');
    const create = (uid: string, subType: string) =>
      post('/token/one-sat-ord/create-output', outputBody(uid, {}, { subType }));
    expect(await create(single, 'collection')).toMatchObject(refused(422, 'sub-type-not-allowed'));
    expect(await create(single, 'collectionItem')).toMatchObject(refused(422, 'sub-type-not-allowed'));
    expect(await create(collection, 'single')).toMatchObject(refused(422, 'sub-type-not-allowed'));
    expect(await create(collection, 'collectionItem')).toMatchObject(refused(422, 'collection-missing'));
    expect(await create('nowhere', 'single')).toMatchObject(refused(404, 'not-found'));
  });
});

describe('the outputs of a collection', () => {
  const create = (uid: string, subType: string, data: object = {}) =>
    post('/token/one-sat-ord/create-output', outputBody(uid, {}, { subType, subTypeData: JSON.stringify(data) }));

  it('include one collection output only, also for concurrent requests', async () => {
    const projectUid = await sandbox.createProject('collection');
    const answers = await Promise.all([1, 2, 3].map(() => create(projectUid, 'collection')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject(refused(409, 'collection-exists'));
    const [{ uid }] = (await sandbox.outputsOf(projectUid)) as [{ uid: string }];
    expect((await sandbox.token('DELETE', `/output/${uid}`)).status).toBe(200);
    expect((await create(projectUid, 'collection')).status).toBe(200);
  });

  it('may replace a collection output that is stuck in an unsubmitted transaction, but only one is minted', async () => {
    const projectUid = await sandbox.createProject('collection');
    const first = (await create(projectUid, 'collection')).body.data.uid as string;
    const lost = (await sandbox.createTransaction(projectUid, [first])).body.data;
    const second = (await create(projectUid, 'collection')).body.data.uid as string;
    const built = (await sandbox.createTransaction(projectUid, [second])).body.data;
    expect((await sandbox.submit(built.transactionUid, sign(built.txObj))).status).toBe(200);
    expect(await sandbox.submit(lost.transactionUid, sign(lost.txObj))).toMatchObject(
      refused(409, 'collection-exists'),
    );
    expect(await create(projectUid, 'collection')).toMatchObject(refused(409, 'collection-exists'));
    expect(await sandbox.createTransaction(projectUid, [first])).toMatchObject(refused(409, 'collection-exists'));
  });

  it('must name the minted collection of their project', async () => {
    const projectUid = await sandbox.createProject('collection');
    const seed = (await create(projectUid, 'collection')).body.data.uid as string;
    const early = `${'ab'.repeat(32)}_0`;
    expect(await create(projectUid, 'collectionItem', { collectionId: early })).toMatchObject(
      refused(422, 'collection-missing'),
    );
    const { body } = await sandbox.createTransaction(projectUid, [seed]);
    const { txId } = (await sandbox.submit(body.data.transactionUid, sign(body.data.txObj))).body.data;
    for (const data of [{ collectionId: early }, { collectionId: `${txId}_1` }, { collectionId: '' }, {}]) {
      expect(await create(projectUid, 'collectionItem', data), JSON.stringify(data)).toMatchObject(
        refused(422, 'collection-missing'),
      );
    }
    expect(await create(projectUid, 'collectionItem', { collectionId: 7 })).toMatchObject(
      refused(422, 'metadata-invalid'),
    );
    expect((await create(projectUid, 'collectionItem', { collectionId: `${txId}_0` })).status).toBe(200);
    expect(await sandbox.outputsOf(projectUid)).toHaveLength(2);
  });
});

describe('contents of tokens on the disk', () => {
  it('are stored once, and removed at the next start if no output uses them', async () => {
    const own = await TestSandbox.open();
    try {
      const names = () => readdirSync(join(own.folder, 'sandbox-content'));
      const projectUid = await own.createProject();
      const file = (byte: number) => ({ b64File: Buffer.alloc(SMALL_BYTES + 1, byte).toString('base64') });
      await own.createOutput(projectUid, file(1));
      await own.createOutput(projectUid, file(1));
      expect(names()).toHaveLength(1);
      const uid = await own.createOutput(projectUid, file(2));
      expect(names()).toHaveLength(2);
      await own.token('DELETE', `/output/${uid}`);
      await own.restart();
      expect(names()).toHaveLength(1);
    } finally {
      await own.remove();
    }
  });
});

describe('a small token file', () => {
  it('is stored once in the database, and removed at the next start if no output uses it', async () => {
    const own = await TestSandbox.open();
    try {
      const stored = async () => {
        const db = own.service.node.db as unknown as Kysely<TokenTables>;
        const rows = await db.selectFrom('token_contents').select('bytes').execute();
        return rows.map(({ bytes }) => Buffer.from(bytes).toString('base64')).sort();
      };
      const projectUid = await own.createProject();
      const same = Array.from({ length: 20 }, () => own.createOutput(projectUid, { b64File: 'AAAA' }));
      expect(new Set(await Promise.all(same)).size).toBe(20);
      expect(await stored()).toEqual(['AAAA']);
      const uid = await own.createOutput(projectUid, { b64File: 'BBBB' });
      expect(await stored()).toEqual(['AAAA', 'BBBB']);
      await own.token('DELETE', `/output/${uid}`);
      await own.restart();
      expect(await stored()).toEqual(['AAAA']);
      expect(await own.outputsOf(projectUid)).toHaveLength(20);
      expect(readdirSync(join(own.folder, 'sandbox-content'))).toEqual([]);
    } finally {
      await own.remove();
    }
  });
});

describe('a large token file', () => {
  const MEGABYTE = 1_048_576;

  it('is written to disk as it arrives, and removed if the client aborts', async () => {
    const own = await TestSandbox.open({}, { maxTokenBytes: 64 * MEGABYTE });
    try {
      const projectUid = await own.createProject();
      const folder = join(own.folder, 'sandbox-content');
      const onDisk = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
      const text = JSON.stringify(outputBody(projectUid, { b64File: '' }));
      const [head, tail] = text.split('"b64File":"') as [string, string];
      const send = () => {
        const to = `${own.root}/token/v1/token/one-sat-ord/create-output`;
        const headers = { 'content-type': 'application/json', apikey: own.service.apiKey() };
        const sending = request(to, { method: 'POST', headers });
        const answered = new Promise<IncomingMessage>((resolve, reject) => {
          sending.once('response', resolve).once('error', reject);
        });
        sending.write(`${head}"b64File":"`);
        return { sending, answered };
      };
      const megabyte = Buffer.alloc(MEGABYTE, 7);
      const base64 = Buffer.alloc(3 * MEGABYTE, 7).toString('base64');

      const whole = send();
      for (let part = 1; part <= 8; part++) {
        whole.sending.write(base64);
        // all of it but the piece that is being read
        await expect.poll(onDisk, { timeout: 30_000 }).toBeGreaterThan((3 * part - 1) * MEGABYTE);
      }
      whole.sending.end(tail);
      expect((await whole.answered).statusCode).toBe(200);
      const [{ offChainData }] = await own.outputsOf(projectUid);
      const digest = createHash('sha256');
      for (let part = 0; part < 24; part++) digest.update(megabyte);
      expect(offChainData).toMatchObject({ b64FileSize: 24 * MEGABYTE, b64FileHash: digest.digest('hex') });

      const left = send();
      left.answered.catch(() => undefined);
      left.sending.write(base64);
      await expect.poll(onDisk, { timeout: 30_000 }).toBeGreaterThan(26 * MEGABYTE);
      left.sending.destroy();
      await expect.poll(() => readdirSync(folder)).toEqual([offChainData.b64FileHash]);
      expect(await own.outputsOf(projectUid)).toHaveLength(1);
    } finally {
      await own.remove();
    }
  });
});

describe('any JSON sent to the token API', () => {
  it('is refused, and never causes an internal error', async () => {
    const projectUid = await sandbox.createProject();
    const paths = [
      'project/create',
      'token/one-sat-ord/create-output',
      'token/one-sat-ord/create-transaction',
      'submit',
      'quota/keys',
    ];
    const good = {
      ...outputBody(projectUid),
      publicKey: '02',
      outputList: ['x'],
      utxoList: [{ txId: 'x', outputIndex: 0 }],
      apiKeys: ['x'],
    };
    const field = fc.constantFrom(...Object.keys(good));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.jsonValue(),
        field,
        fc.boolean(),
        async (path, value, name, whole) => {
          const { status, body } = await post(`/${path}`, JSON.stringify(whole ? value : { ...good, [name]: value }));
          expect(status === 200 || (status >= 400 && status < 500), `${status} ${JSON.stringify(body)}`).toBe(true);
          expect(body.success).toBe(status === 200);
        },
      ),
      { numRuns: 200 },
    );
  });
});
