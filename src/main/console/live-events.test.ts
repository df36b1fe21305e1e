import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveEvent } from '../../contract/index.ts';
import type { ConsoleClient } from './http-client.ts';
import { failureOf } from './test-support/failure-of.ts';
import type { FakeHost } from './test-support/fake-host.ts';
import { HASH } from './test-support/fake-studio.ts';
import { connectFake, type Transport, transports } from './test-support/transports.ts';

describe.each(Object.keys(transports))('live events over %s', (name) => {
  let host: FakeHost;
  let transport: Transport;
  let client: ConsoleClient;

  beforeEach(async () => {
    ({ host, transport, client } = await connectFake(name));
  });

  afterEach(() => transport.close());

  async function read(stream: AsyncIterator<LiveEvent>): Promise<LiveEvent> {
    const { value, done } = await stream.next();
    expect(done).toBe(false);
    return value as LiveEvent;
  }

  it('begin with a snapshot and go on with every change, in order', async () => {
    const stream = await client.events.subscribe();
    expect(await read(stream)).toMatchObject({ type: 'snapshot', snapshot: { theme: 'system' } });
    for (let height = 1; height <= 50; height += 1) {
      host.hub.publish({ type: 'tip', tip: { hash: HASH, height, time: 1 } });
    }
    for (let height = 1; height <= 50; height += 1) expect(await read(stream)).toMatchObject({ tip: { height } });
    await stream.return?.();
  });

  it('catch up with a snapshot after a reconnection', async () => {
    const controller = new AbortController();
    const first = await client.events.subscribe(undefined, { signal: controller.signal });
    await read(first);
    controller.abort();
    await expect.poll(() => host.hub.size).toBe(0);
    await client.app.setTheme({ theme: 'light' });
    const second = await transport.connect().events.subscribe();
    expect(await read(second)).toMatchObject({ snapshot: { theme: 'light' } });
    await second.return?.();
    await expect.poll(() => host.hub.size).toBe(0);
  });

  it('end with a failure where the snapshot cannot be taken', async () => {
    host.context.app.snapshot = () => {
      throw new TypeError('hunter22');
    };
    const stream = await client.events.subscribe();
    expect(await failureOf(stream.next())).toMatchObject({ code: 'internal' });
    await expect.poll(() => host.hub.size).toBe(0);
  });

  it('serve several subscribers at once', async () => {
    const streams = await Promise.all([client.events.subscribe(), transport.connect().events.subscribe()]);
    for (const stream of streams) await read(stream);
    await client.app.setTheme({ theme: 'dark' });
    for (const stream of streams) expect(await read(stream)).toEqual({ type: 'theme', theme: 'dark' });
    for (const stream of streams) await stream.return?.();
  });
});
