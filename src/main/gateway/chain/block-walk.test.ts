import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { clientParts, endpointsOf, settingsOf } from '../test-support/upstream.ts';
import { NodeClient } from '../upstream/client.ts';
import { blocksUpTo } from './block-walk.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

it('the walk over blocks lists the blocks after the last one both branches have, and none of a branch that was replaced', async () => {
  const chain = await startSandboxUpstream();
  open.push(() => chain.stop());
  const endpoints = endpointsOf({ bitcoinRpcUrl: chain.url });
  const node = new NodeClient({ ...clientParts, endpoints, settings: settingsOf(), clock: systemClock });
  open.push(() => node.close());
  const replaced = (await chain.node.mine(4)) as [string, string, string, string];
  expect(await blocksUpTo(node, replaced[0], replaced[3])).toEqual(replaced.slice(1));
  const branch = await chain.node.reorg(3);
  expect(await blocksUpTo(node, replaced[3], branch.at(-1) as string)).toEqual(branch);
  // a tip that was read right before the reorganisation
  expect(await blocksUpTo(node, replaced[3], replaced[1])).toEqual([]);
  expect(await blocksUpTo(node, branch.at(-1) as string, replaced[0])).toEqual([]);
});
