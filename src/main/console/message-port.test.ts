import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleClient } from './http-client.ts';
import { serveMessagePort } from './message-port.ts';
import { createFakeHost, type FakeHost } from './test-support/fake-host.ts';

describe('serveMessagePort', () => {
  let host: FakeHost;
  let page: MessagePort;
  let close: () => void;
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);

  beforeEach(() => {
    process.on('unhandledRejection', note);
    host = createFakeHost();
    const { port1, port2 } = new MessageChannel();
    page = port2;
    close = serveMessagePort(port1, host.context);
  });

  afterEach(() => {
    close();
    page.close();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  const client = (): ConsoleClient => {
    const made = createORPCClient<ConsoleClient>(new RPCLink({ port: page }));
    page.start();
    return made;
  };

  const header = (fields: object): Uint8Array => new TextEncoder().encode(JSON.stringify(fields));
  const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
  it.each([
    ['text that is no JSON', '{'],
    ['an empty text', ''],
    ['JSON that is no message', 'null'],
    ['a request without address', '{"i":"1","p":{}}'],
    ['bytes that are no message', new Uint8Array([1, 2, 255, 3])],
    [
      'a form that is none',
      Buffer.concat([header({ i: '1', p: { u: '/files/append', h: multipart } }), Buffer.from([255, 7])]),
    ],
    ['an object', { i: '1' }],
    ['a number', 7],
    ['nothing', null],
  ])('closes the port on %s', async (_what, message) => {
    const closed = once(page, 'close');
    page.postMessage(message);
    await closed;
    expect(host.logs.join('')).toContain('none of the protocol');
  });

  const call = (text: string): string => `{"i":"7","p":{"u":"/wallet/backup/check","b":{"json":${text}}}}`;
  it.each([
    ['is longer than any procedure takes', call(JSON.stringify('a'.repeat(9_000_000)))],
    ['has more values than any procedure takes', call(`[${'[],'.repeat(300_000)}0]`)],
    ['is deeper than any procedure takes', call(`${'['.repeat(1_000)}${']'.repeat(1_000)}`)],
  ])('refuses a message that %s, before it is parsed, without closing', async (_what, message) => {
    const answered = once(page, 'message');
    page.postMessage(message);
    const [answer] = await answered;
    expect(JSON.parse(answer)).toMatchObject({
      i: '7',
      p: { s: 413, b: { json: { code: 'FAILED', data: { id: 'console.body-too-large' } } } },
    });
    expect(await client().app.info()).toMatchObject({ network: 'sandbox' });
  });

  it.each([
    ['bytes that are too many', Buffer.concat([header({ i: '1', p: {} }), Buffer.alloc(20_000_000, 255)])],
    ['bytes whose JSON is all brackets', Buffer.from('['.repeat(1_000_000))],
    ['a text whose call has no name', '['.repeat(1_000_000)],
  ])('closes the port on %s', async (_what, message) => {
    const closed = once(page, 'close');
    page.postMessage(message);
    await closed;
  });

  it('tells a page that its call is too large', async () => {
    const input = { text: 'a'.repeat(9_000_000), passphrase: 'none' };
    await expect(client().wallet.backup.check(input)).rejects.toMatchObject({
      data: { id: 'console.body-too-large' },
    });
  });

  it('answers a call of an unknown procedure without closing the port', async () => {
    const made = client();
    await expect((made as unknown as { no: { such(): Promise<void> } }).no.such()).rejects.toThrow();
    expect(await made.app.info()).toMatchObject({ network: 'sandbox' });
  });

  it('accepts messages that Electron wraps in an event', async () => {
    const listeners = new Map<string, (event: unknown) => void>();
    const answers: string[] = [];
    const port = {
      on: (event: string, listener: (event: never) => void) => listeners.set(event, listener as never),
      postMessage: (message: unknown) => void answers.push(message as string),
      start: () => {},
      close: () => {},
    };
    serveMessagePort(port, host.context);
    listeners.get('message')?.({ data: JSON.stringify({ i: '1', p: { u: '/app/createLink', b: {} } }), ports: [] });
    await expect.poll(() => answers).toHaveLength(1);
    expect(JSON.parse(answers[0] as string)).toMatchObject({ i: '1', p: { b: { json: { url: expect.any(String) } } } });
  });

  it('ends what runs for a page that is gone', async () => {
    const stream = await client().events.subscribe();
    await stream.next();
    expect(host.hub.size).toBe(1);
    page.close();
    await expect.poll(() => host.hub.size).toBe(0);
  });

  it('ends what runs when the host closes the port', async () => {
    const stream = await client().events.subscribe();
    await stream.next();
    const ended = expect(stream.next()).rejects.toThrow();
    close();
    await ended;
    expect(host.hub.size).toBe(0);
  });
});
