import { expect, it, vi } from 'vitest';
import { Publisher, Subscriber } from 'zeromq';
import { systemClock } from '../../clock.ts';
import { clientParts, endpointsOf, quiet, settingsOf } from '../test-support/upstream.ts';
import { countsOf } from '../test-support/zmq-node.ts';
import { NodeClient } from '../upstream/client.ts';
import { ZmqRelayService } from './relay.ts';

const MESSAGES = 20_000;
const BURST = 500;

it('a subscriber that reads nothing does not delay another', async () => {
  const upstream = new Publisher({ linger: 0, sendHighWaterMark: MESSAGES });
  await upstream.bind('tcp://127.0.0.1:*');
  const endpoints = endpointsOf({ bitcoinZmqUrl: upstream.lastEndpoint ?? '' });
  const node = new NodeClient({
    ...clientParts,
    endpoints,
    settings: settingsOf(),
    clock: systemClock,
  });
  const clock = systemClock;
  const service = { settings: settingsOf(), endpoints, node, clock, credentialsAreDefault: () => true, logger: quiet };
  const relay = new ZmqRelayService(service);
  const { address = '' } = await relay.start();
  // unread messages fill its own buffers, then those of the connection
  const stalled = new Subscriber({ linger: 0, receiveHighWaterMark: 1 });
  stalled.connect(address);
  stalled.subscribe('rawtx');
  const reader = new Subscriber({ linger: 0, receiveHighWaterMark: MESSAGES });
  reader.connect(address);
  reader.subscribe('rawtx');
  const heard: number[] = [];
  const reading = (async () => {
    for await (const [, , sequence] of reader) heard.push(sequence?.readUInt32LE() ?? -1);
  })();
  try {
    let sent = 0;
    const send = async (): Promise<void> => {
      const number = Buffer.alloc(4);
      number.writeUInt32LE(sent++);
      await upstream.send(['rawtx', Buffer.alloc(4_096), number]);
    };
    // nothing arrives until both are connected
    await vi.waitFor(
      async () => {
        await send();
        expect(heard.length).toBeGreaterThan(0);
      },
      { timeout: 30_000, interval: 50 },
    );
    const first = heard[0] as number;
    while (sent < MESSAGES) {
      for (let n = 0; n < BURST; n++) await send();
      await vi.waitFor(() => expect(first + heard.length).toBe(countsOf(relay).rawtx.messages), {
        timeout: 20_000,
        interval: 5,
      });
    }
    const everything = (): void => expect(heard.length).toBeGreaterThan(MESSAGES - BURST);
    await vi.waitFor(everything, { timeout: 20_000, interval: 20 });
    expect(heard).toEqual(heard.map((_, index) => first + index));
  } finally {
    stalled.close();
    reader.close();
    await reading;
    await relay.stop();
    upstream.close();
    await node.close();
  }
});
