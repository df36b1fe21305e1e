import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { clientParts, endpointsOf, quiet, settingsOf } from '../test-support/upstream.ts';
import { countsOf, type Heard, listen, startZmqNode, until } from '../test-support/zmq-node.ts';
import { NodeClient } from '../upstream/client.ts';
import { ZmqRelayService } from './relay.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const hexOf = ({ body }: Heard): string => Buffer.from(body, 'latin1').toString('hex');

/** A relay between a real chain and a publisher that the test controls, ready once a block came through. Its clock stands still. */
async function relayed() {
  const chain = await startSandboxUpstream();
  open.push(() => chain.stop());
  const { node, url } = await startZmqNode(open);
  const client = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl: chain.url }),
    settings: settingsOf(),
    clock: systemClock,
  });
  open.push(() => client.close());
  const clock = new HandClock();
  const relay = new ZmqRelayService({
    settings: settingsOf(),
    endpoints: endpointsOf({ bitcoinZmqUrl: url }),
    node: client,
    clock,
    credentialsAreDefault: () => true,
    logger: quiet,
  });
  open.push(() => relay.stop());
  const { address = '' } = await relay.start();
  const hashes = listen(open, address, 'hashblock');
  const raws = listen(open, address, 'rawblock');
  const rawOf = async (hash: string): Promise<Buffer> =>
    Buffer.from(await client.call<string>('getblock', [hash, false]), 'hex');
  const tell = async (hash: string): Promise<void> => {
    await node.publish('hashblock', Buffer.from(hash, 'hex'));
    await node.publish('rawblock', await rawOf(hash));
  };
  const [first] = (await chain.node.mine(1)) as [string];
  // The relay publishes a new block by itself when it connects, so only counted messages tell that it hears the node.
  const isHeard = ({ messages, repaired }: { messages: number; repaired: number }): boolean => messages > repaired;
  await until(
    () =>
      hashes.length > 0 && raws.length > 0 && isHeard(countsOf(relay).hashblock) && isHeard(countsOf(relay).rawblock),
    () => tell(first),
  );
  // messages arrive in order: after this one, all messages from the time of connecting have arrived
  const [second] = (await chain.node.mine(1)) as [string];
  await tell(second);
  const secondRaw = (await rawOf(second)).toString('hex');
  await until(
    () => hashes.some((heard) => hexOf(heard) === second) && raws.some((heard) => hexOf(heard) === secondRaw),
  );
  await until(() => clock.waiting === 1);
  const from = { hashes: hashes.length, raws: raws.length };
  const since = () => hashes.slice(from.hashes).map(hexOf);
  const rawsSince = () => raws.slice(from.raws).map(hexOf);
  return { chain, node, url, relay, clock, tell, rawOf, since, rawsSince };
}

describe('the newest block', () => {
  it('is published within five seconds if its message was lost, and only once if the message arrives late', async () => {
    const { chain, node, relay, clock, tell, rawOf, since, rawsSince } = await relayed();
    const [lost] = (await chain.node.mine(1)) as [string];
    await clock.pass(4_999);
    expect(since()).toEqual([]);
    await clock.pass(1);
    await until(() => since().length > 0 && rawsSince().length > 0);
    expect(since()).toEqual([lost]);
    expect(rawsSince()).toEqual([(await rawOf(lost)).toString('hex')]);
    expect(countsOf(relay).hashblock.repaired).toBe(1);

    // the message was only late
    await tell(lost);
    const [next] = (await chain.node.mine(1)) as [string];
    await tell(next);
    await until(() => since().length > 1 && rawsSince().length > 1);
    expect(since()).toEqual([lost, next]);
    expect(countsOf(relay).hashblock.repaired).toBe(0);

    // several blocks, whose sequence numbers were used up
    const mined = await chain.node.mine(3);
    for (const topic of ['hashblock', 'rawblock']) node.counts.set(topic, (node.counts.get(topic) ?? 0) + 3);
    // a probe that started before these blocks does not see them, but the next one does
    await until(
      () => since().length >= 5 && rawsSince().length >= 5,
      () => clock.pass(5_000),
    );
    const [last] = (await chain.node.mine(1)) as [string];
    await tell(last);
    await until(() => since().length >= 6 && rawsSince().length >= 6);
    expect(since()).toEqual([lost, next, ...mined, last]);
    expect(rawsSince()).toHaveLength(6);
  });

  it('is published as soon as the upstream is reconnected, if it was mined before', async () => {
    const { chain, node, url, relay, since, rawsSince } = await relayed();
    node.close();
    await until(() => relay.health().degraded !== undefined);
    const mined = await chain.node.mine(2);
    await startZmqNode(open, url);
    // no time passes, and the publisher sends nothing
    await until(() => since().length >= 2 && rawsSince().length >= 2);
    expect(since()).toEqual(mined);
    expect(rawsSince()).toHaveLength(2);
  });

  it('of a reorganisation is published with its whole branch', async () => {
    const { chain, clock, since } = await relayed();
    const branch = await chain.node.reorg(2);
    await clock.pass(5_000);
    await until(() => since().length >= branch.length);
    expect(since()).toEqual(branch);
  });
});
