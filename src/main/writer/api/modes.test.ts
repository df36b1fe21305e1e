import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseScript, parseTx } from '../../../chain/index.ts';
import { DataCipher } from '../acceptance/data-cipher.ts';
import { keyIdOf } from '../storage/document.ts';
import { TestFundingService } from '../test-support/funding-service.ts';
import { TestHarness } from '../test-support/harness.ts';
import { API_KEY, WriterProcesses } from '../test-support/writer-client.ts';

const BODY = '{"salary":4711}';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

/** What stands on the chain in the data output of a transaction, push by push. */
function pushesOf(harness: TestHarness, txid: unknown): Buffer[] {
  const [output] = parseTx(harness.mempool.get(String(txid)) as Uint8Array).outputs;
  const { chunks } = parseScript(output?.script ?? new Uint8Array());
  return chunks.slice(2).map(({ data }) => Buffer.from(data ?? []));
}

describe('X-Mode: hash', () => {
  it('writes the SHA-256 of the body, as text, and nothing else of it', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const { json } = await client.write(BODY, { 'x-mode': 'hash', 'x-tag': 'payroll' });
    const hash = createHash('sha256').update(BODY).digest('hex');
    expect(pushesOf(harness, json.txid).map(String)).toEqual(['payroll', 'text/plain', hash]);
    const read = await client.send('GET', `/api/v1/read/${json.txid}`);
    expect(read).toMatchObject({ status: 200, text: hash });
    expect(read.headers['content-type']).toMatch(/^text\/plain/);
  });

  it('still takes nothing but JSON', async () => {
    const client = await writers.start(new TestHarness(100_000));
    expect((await client.write('{', { 'x-mode': 'hash' })).json).toMatchObject({ status: 400, code: 12 });
    expect((await client.write('{}', { 'x-mode': 'rot13' })).json).toMatchObject({ status: 400, code: 14 });
  });
});

describe('X-Mode: encrypt', () => {
  it('writes what only the key in the vault opens, and reads it back as it was', async () => {
    const harness = new TestHarness(100_000);
    const client = await writers.start(harness);
    const { json } = await client.write(BODY, { 'x-mode': 'encrypt' });
    const [type, payload] = pushesOf(harness, json.txid);
    expect(String(type)).toBe('application/vnd.planchet.aes-256-gcm');
    expect(payload?.includes('salary')).toBe(false);
    expect(payload?.[0]).toBe(2);
    const read = await client.send('GET', `/api/v1/read/${json.txid}`);
    expect(read).toMatchObject({ status: 200, text: BODY });
    expect(read.headers['content-type']).toMatch(/^application\/json/);

    // From the chain alone, with the vault: another journal, the same key.
    await client.service.stop();
    const elsewhere = await WriterProcesses.open();
    try {
      for (const [name, value] of writers.secrets) elsewhere.secrets.set(name, value);
      const other = await elsewhere.start(harness);
      expect(await other.send('GET', `/api/v1/read/${json.txid}`)).toMatchObject({ status: 200, text: BODY });
      elsewhere.secrets.set('dataKey:sandbox', randomBytes(32));
      expect((await other.send('GET', `/api/v1/read/${json.txid}`)).json).toMatchObject({ status: 422, code: 12 });
    } finally {
      await elsewhere.close();
    }
  });

  it('is opened for the API key that wrote it alone, and for another once that one was revoked', async () => {
    const harness = new TestHarness(1_000_000);
    const service = await TestFundingService.open(harness, 'second-key');
    try {
      const client = await writers.start(harness, { settings: { fundingUrl: service.url } });
      const { keyId } = await client.service.view.keys.register({ apiKey: 'second-key' });
      const second = { authorization: 'Bearer second-key' };
      const { json } = await client.write(BODY, { ...second, 'x-mode': 'encrypt' });
      const path = `/api/v1/read/${json.txid}`;
      expect(await client.send('GET', path, '', second)).toMatchObject({ status: 200, text: BODY });
      expect((await client.send('GET', path)).json).toMatchObject({ status: 422, code: 12 });
      await client.service.view.keys.revoke({ keyId });
      expect(await client.send('GET', path)).toMatchObject({ status: 200, text: BODY });
    } finally {
      await service.close();
    }
  });

  it('is opened for no other key that writes the same bytes once more', async () => {
    const harness = new TestHarness(1_000_000);
    const service = await TestFundingService.open(harness, 'second-key');
    try {
      const settings = { fundingUrl: service.url, writerAnyContentType: true };
      const client = await writers.start(harness, { settings });
      await client.service.view.keys.register({ apiKey: 'second-key' });
      const second = { authorization: 'Bearer second-key' };
      const { json } = await client.write(BODY, { 'x-mode': 'encrypt' });
      const [type, payload] = pushesOf(harness, json.txid);
      // Everybody can read them on the chain.
      const copy = await client.write(payload as Buffer, { ...second, 'content-type': String(type) });
      const path = `/api/v1/read/${copy.json.txid}`;
      expect((await client.send('GET', path, '', second)).json).toMatchObject({ status: 422, code: 12 });
      expect(await client.send('GET', path)).toMatchObject({ status: 200, text: BODY });
    } finally {
      await service.close();
    }
  });

  it('is read in the form that earlier versions wrote', async () => {
    const secret = randomBytes(32);
    writers.secrets.set('dataKey:sandbox', secret);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', secret, nonce);
    cipher.setAAD(Uint8Array.of(1));
    const type = 'application/json';
    const sealed = [cipher.update(Buffer.from(`${String.fromCharCode(type.length)}${type}${BODY}`)), cipher.final()];
    const payload = Buffer.concat([Uint8Array.of(1), nonce, ...sealed, cipher.getAuthTag()]);
    const read = new DataCipher(writers.secretStore, 'sandbox').decrypt(payload);
    expect(read).toEqual({ keyId: undefined, contentType: type, body: Buffer.from(BODY) });
  });

  it('never writes the same bytes twice, but knows the same document by its Idempotency-Key', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    const headers = { 'x-mode': 'encrypt', 'idempotency-key': 'march' };
    const first = await client.write(BODY, headers);
    expect((await client.write(BODY, headers)).text).toBe(first.text);
    expect((await client.write(BODY, { ...headers, 'x-mode': 'raw' })).json).toMatchObject({ status: 409, code: 22 });
    const second = await client.write(BODY, { 'x-mode': 'encrypt' });
    expect(pushesOf(harness, second.json.txid)[1]).not.toEqual(pushesOf(harness, first.json.txid)[1]);
  });

  it('opens nothing that was changed in a single byte, or cut', async () => {
    const cipher = new DataCipher(writers.secretStore, 'sandbox');
    const keyId = keyIdOf('sandbox', API_KEY);
    const payload = await cipher.encrypt(keyId, 'application/json', Buffer.from(BODY));
    expect(cipher.decrypt(payload)).toEqual({ keyId, contentType: 'application/json', body: Buffer.from(BODY) });
    for (const at of payload.keys()) {
      const changed = Uint8Array.from(payload);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => cipher.decrypt(changed)).toThrow('cannot be decrypted');
      expect(() => cipher.decrypt(payload.subarray(0, at))).toThrow('cannot be decrypted');
    }
  });
});

describe('what clients of an earlier generation encrypted', () => {
  it('is read with its secret, and never written', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { settings: { writerAnyContentType: true } });
    const iv = randomBytes(16);
    const old = createCipheriv('aes-256-cbc', createHash('sha256').update('open sesame').digest(), iv);
    const payload = Buffer.concat([iv, old.update(BODY), old.final()]);
    const { json } = await client.write(payload, { 'content-type': 'application/json; v=old' });
    const read = (secret: string) => client.send('GET', `/api/v1/read/${json.txid}`, '', { 'x-key': secret });
    expect(await read('open sesame')).toMatchObject({ status: 200, text: BODY });
    expect((await read('wrong')).text).not.toContain('salary');
    // The header that made older clients encrypt so has no effect here: what is written is authenticated.
    const written = await client.write(BODY, { 'x-mode': 'encrypt', 'x-key': 'open sesame' });
    const [type, bytes] = pushesOf(harness, written.json.txid);
    expect(String(type)).toBe('application/vnd.planchet.aes-256-gcm');
    expect(bytes).toHaveLength(1 + 12 + 8 + 1 + 'application/json'.length + BODY.length + 16);
    expect((await client.send('GET', `/api/v1/read/${written.json.txid}`)).text).toBe(BODY);
  });
});

describe('any content type', () => {
  it('is refused until a setting allows it, and then kept', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    const image = randomBytes(300);
    const headers = { 'content-type': 'image/png', authorization: `Bearer ${API_KEY}` };
    expect((await client.write(image, headers)).json).toMatchObject({ status: 415, code: 10 });
    client.set({ writerAnyContentType: true });
    const { json } = await client.write(image, headers);
    expect(pushesOf(harness, json.txid)).toEqual([Buffer.from('image/png'), image]);
    const read = await client.send('GET', `/api/v1/read/${json.txid}`);
    expect(read.headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect((await client.write('{', {})).json).toMatchObject({ status: 400, code: 12 });
  });
});
