import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refused, TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());
beforeEach(() => sandbox.set({}, { maxTokenBytes: 4_000_000 }));

const post = (path: string, body: unknown) => sandbox.token('POST', path, body);
const UID = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('projects of the token API', () => {
  it('are created, listed and returned with exactly the fields of the API', async () => {
    const created = await post('/project/create', {
      name: 'Stars',
      isFungible: true,
      type: 'collection',
      tokenProtocol: 'OneSatOrdinal',
    });
    expect(created.body).toEqual({ success: true, data: { projectUid: UID } });
    const { projectUid: uid } = created.body.data;
    const common = { uid, name: 'Stars', network: 'sandbox', tokenProtocol: 'OneSatOrdinal' };
    for (const path of ['/project/', '/project']) {
      const { projectList } = (await sandbox.token('GET', path)).body.data;
      expect(projectList.at(-1)).toEqual({ ...common, offChainData: { isFungible: true } });
    }
    const { body } = await sandbox.token('GET', `/project/${uid}`);
    expect(body).toEqual({ success: true, data: { ...common, isFungible: true, type: 'collection' } });
  });

  it('are refused for an invalid request', async () => {
    const good = { name: 'Stars', isFungible: false, type: 'single', tokenProtocol: 'OneSatOrdinal' };
    for (const bad of [
      { name: '' },
      { name: 7 },
      { type: 'many' },
      { isFungible: 'no' },
      { tokenProtocol: undefined },
    ]) {
      expect(await post('/project/create', { ...good, ...bad })).toMatchObject(refused(400, 'invalid-request'));
    }
    expect(await post('/project/create', { ...good, tokenProtocol: 'STAS' })).toMatchObject(
      refused(422, 'protocol-unsupported'),
    );
    expect(await post('/project/create', '{"name":')).toMatchObject(refused(400, 'invalid-request'));
    expect(await post('/project/create', 'null')).toMatchObject(refused(400, 'invalid-request'));
    expect(await sandbox.token('GET', '/project/nothing')).toMatchObject(refused(404, 'not-found'));
  });

  it('belong to the key that created them', async () => {
    const uid = await sandbox.createProject();
    const { apiKey } = (await sandbox.admin('POST', '/keys', {})).body.data;
    expect(await sandbox.token('GET', `/project/${uid}`, undefined, { apikey: apiKey })).toMatchObject(
      refused(404, 'not-found'),
    );
    expect((await sandbox.token('GET', '/project/', undefined, { apikey: apiKey })).body.data).toEqual({
      projectList: [],
    });
  });
});
