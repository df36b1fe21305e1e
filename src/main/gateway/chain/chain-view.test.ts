import { expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { chainAnswer, mineHeaders } from '../test-support/chain-upstream.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { clientParts, endpointsOf, settingsOf, Upstream } from '../test-support/upstream.ts';
import { NodeClient } from '../upstream/client.ts';
import { createChainView } from './create-chain-view.ts';

it('the view of the chain counts the age of a tip from its answer, though a block was announced before the first one came', async () => {
  const headers = mineHeaders(3);
  const upstream = await new Upstream(chainAnswer(() => ({ headers }))).start();
  const clock = new HandClock();
  const settings = settingsOf({ gatewayShareFor: '5s' });
  const endpoints = endpointsOf({ bitcoinRpcUrl: upstream.url });
  const node = new NodeClient({ ...clientParts, endpoints, settings, clock: systemClock });
  try {
    const chain = createChainView({ node, network: 'sandbox', settings, clock });
    const asked = chain.refresh();
    chain.announce();
    await asked;
    await clock.pass(7_000);
    expect({ tip: chain.tip, age: chain.age, isFresh: chain.isFresh() }).toEqual({
      tip: { hash: headers.at(-1)?.hash, height: headers.length - 1 },
      age: 7_000,
      isFresh: false,
    });
    await chain.refresh();
    expect(chain.isFresh()).toBe(true);
    await clock.pass(-3_600_000);
    expect(chain.isFresh()).toBe(false);
  } finally {
    await node.close();
    await upstream.stop();
  }
});
