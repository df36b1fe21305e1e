import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract, phrase, UPLOAD_PIECE_BYTES } from '../../contract/index.ts';
import type { ConsoleClient } from './http-client.ts';
import { failureOf } from './test-support/failure-of.ts';
import { createFakeHost, type FakeHost } from './test-support/fake-host.ts';
import { HASH } from './test-support/fake-studio.ts';
import { connectFake, type Transport, transports } from './test-support/transports.ts';
import { upload } from './test-support/upload.ts';

describe.each(Object.keys(transports))('the contract over %s', (name) => {
  let host: FakeHost;
  let transport: Transport;
  let client: ConsoleClient;

  beforeEach(async () => {
    ({ host, transport, client } = await connectFake(name));
  });

  afterEach(() => transport.close());

  it('names the field of an invalid input, and runs no handler', async () => {
    expect(await failureOf(client.projects.create({ name: '  ', type: 'single' }))).toEqual({
      code: 'invalid-input',
      message: 'The request is not valid. name: must not be empty.',
      hint: 'Correct what the message names and try again. Nothing was changed.',
      id: 'console.input-invalid',
      values: {
        problems: {
          key: 'reason.of-sources',
          values: { each: [phrase('field.problem', { field: 'name', rule: phrase('rule.given') })] },
        },
      },
      detail: { field: 'name' },
    });
    const metadata = { name: 'ok', traits: [{ name: 'size', value: '' }] };
    const failure = await failureOf(client.items.create({ projectUid: 'p', sha256: HASH, fileName: 'f', metadata }));
    expect(failure.message).toContain('metadata.traits.0.value: must not be empty');
    expect(await failureOf(client.transactions.get({ txid: 'AB' }))).toMatchObject({ code: 'invalid-input' });
    expect(await failureOf(client.tokens.list({ limit: 0 }))).toMatchObject({ detail: { field: 'limit' } });
    expect(await failureOf(client.projects.get(undefined as never))).toMatchObject({ code: 'invalid-input' });
    expect(await client.projects.list()).toEqual([]);
  });

  it('carries a file in pieces, and back', async () => {
    const bytes = new Uint8Array(randomBytes(2 * UPLOAD_PIECE_BYTES + 17));
    const sha256 = await upload(client, bytes);
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    const blob = await client.files.read({ sha256 });
    expect(blob.type).toBe('image/png');
    expect(Buffer.compare(new Uint8Array(await blob.arrayBuffer()), bytes)).toBe(0);
    expect(host.studio.openUploads).toBe(0);
    expect((await client.files.thumbnail({ sha256 }))?.type).toBe('image/png');
  });

  it('carries a thumbnail that is not there', async () => {
    const { uploadId } = await client.files.begin({ name: 'a.txt', bytes: 3, contentType: 'text/plain' });
    await client.files.append({ uploadId, offset: 0, piece: new Blob(['abc']) });
    const { sha256 } = await client.files.finish({ uploadId });
    expect(await client.files.thumbnail({ sha256 })).toBeNull();
  });

  it('refuses bad pieces and drops a cancelled upload', async () => {
    expect(await failureOf(client.files.begin({ name: 'a', bytes: 9e6, contentType: 'image/png' }))).toMatchObject({
      code: 'file-too-large',
    });
    const { uploadId } = await client.files.begin({ name: 'a', bytes: 5, contentType: 'image/png' });
    const piece = new Blob(['abcde']);
    expect(await failureOf(client.files.append({ uploadId, offset: 3, piece }))).toMatchObject({ code: 'conflict' });
    expect(await failureOf(client.files.append({ uploadId, offset: 0, piece: 'abcde' as never }))).toMatchObject({
      code: 'invalid-input',
      detail: { field: 'piece' },
    });
    const large = new Blob([new Uint8Array(UPLOAD_PIECE_BYTES + 1)]);
    expect(await failureOf(client.files.append({ uploadId, offset: 0, piece: large }))).toMatchObject({
      code: 'invalid-input',
      detail: { limit: UPLOAD_PIECE_BYTES },
    });
    await client.files.abort({ uploadId });
    expect(host.studio.openUploads).toBe(0);
    expect(await failureOf(client.files.abort({ uploadId }))).toMatchObject({ code: 'not-found' });
    expect(await failureOf(client.files.read({ sha256: HASH }))).toMatchObject({ code: 'not-found' });
  });

  it('passes on the replies of the node, errors included', async () => {
    const params = [1, 'two', { three: [null, true] }];
    expect(await client.node.call({ method: 'echo', params })).toEqual({ result: params, error: null });
    expect(await client.node.call({ method: 'nope', params: [] })).toEqual({
      result: null,
      error: { code: -32_601, message: 'Method not found' },
    });
  });

  it('carries large requests and large replies', async () => {
    const hex = 'ab'.repeat(1_500_000);
    const { result } = await client.node.call({ method: 'echo', params: [hex] });
    expect((result as string[])[0]).toBe(hex);
  });

  it('answers an unexpected error without its text, and logs it', async () => {
    const failure = await failureOf(client.node.call({ method: 'fault', params: [] }));
    expect(failure.code).toBe('internal');
    expect(JSON.stringify(failure)).not.toContain('hunter22');
    const line = host.logs.find((text) => text.includes('"node.call"')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 50, err: { type: 'TypeError', stack: expect.any(String) } });
  });

  it('answers output that breaks the contract as an internal error', async () => {
    host.context.wallet.status = () => ({ nonsense: 'hunter22' }) as never;
    expect(await failureOf(client.wallet.status())).toMatchObject({ code: 'internal' });
  });

  it('answers a procedure that its service lacks as an internal error, also where it gives nothing', async () => {
    Reflect.deleteProperty(host.context.import, 'discard');
    expect(await failureOf(client.import.discard({ id: 'i' }))).toMatchObject({ code: 'internal' });
  });

  it('ends a call that its client cancels', async () => {
    const controller = new AbortController();
    const call = client.node.call({ method: 'wait', params: [] }, { signal: controller.signal });
    const outcome = expect(call).rejects.toThrow();
    await host.waits;
    controller.abort();
    await outcome;
    expect(host.logs.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

describe('a network without sandbox', () => {
  it('refuses to mine, and says that there is no sandbox', async () => {
    const host = createFakeHost({ withSandbox: false });
    const transport = await (transports['direct call'] as (typeof transports)[string])(host.context);
    expect(await failureOf(transport.connect().sandbox.mine({ blocks: 1 }))).toMatchObject({
      code: 'not-running',
      message: 'There is no sandbox on the main network.',
    });
  });
});

/** `list`, and `keys.list` where procedures are in a table of their own. */
function namesIn(table: object): string[] {
  return Object.entries(table).flatMap(([name, value]: [string, object]) =>
    '~orpc' in value ? [name] : namesIn(value).map((inner) => `${name}.${inner}`),
  );
}

describe('the tests of the API', () => {
  it('call every procedure of the contract, here or over the real host', async () => {
    const { readFile } = await import('node:fs/promises');
    const others = [
      './procedures.test.ts',
      './live-events.test.ts',
      '../host/transports.test.ts',
      '../host/gallery.test.ts',
      '../host/import.test.ts',
      '../host/runs.test.ts',
      '../host/rehearsals.test.ts',
      '../host/tokens.test.ts',
      '../host/fees.test.ts',
      '../host/merchant.test.ts',
      '../host/callbacks.test.ts',
      '../host/submission.test.ts',
      '../host/miners.test.ts',
      '../host/wallet.test.ts',
      '../host/external-wallet.test.ts',
      '../host/app-payments.test.ts',
      '../host/accounts.test.ts',
      '../host/settings.test.ts',
      '../host/search.test.ts',
      '../host/networks.test.ts',
      '../host/network-test.test.ts',
      '../host/network-sources.test.ts',
      '../host/diagnostics.test.ts',
      '../host/currency-rate.test.ts',
      '../host/without-node.test.ts',
    ];
    const files = [new URL(import.meta.url), ...others.map((file) => new URL(file, import.meta.url))];
    const source = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    const procedures = Object.entries(contract).flatMap(([topic, table]) =>
      namesIn(table).map((procedure) => `${topic}.${procedure}(`),
    );
    expect(procedures.filter((call) => !source.includes(call))).toEqual([]);
  });
});
