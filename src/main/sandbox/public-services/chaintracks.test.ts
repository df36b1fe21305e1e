import { Chaintracks } from '@bsv/wallet-toolbox-client/out/src/services/chaintracker/chaintracks/Chaintracks.js';
import { createDefaultNoDbChaintracksOptions } from '@bsv/wallet-toolbox-client/out/src/services/chaintracker/chaintracks/createDefaultNoDbChaintracksOptions.js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await TestSandbox.open();
  const { fetch } = globalThis;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const here = String(url).replace('https://api.whatsonchain.com', `${sandbox.root}/woc`);
    const answer = await fetch(here, init);
    if (!here.endsWith('BlockHeaders.json')) return answer;
    // it knows the first block of the public networks alone, so it is told that it has seen this one
    const listing = (await answer.json()) as { files: object[] };
    return Response.json({
      ...listing,
      files: listing.files.map((file) => ({ ...file, chain: 'test', validated: true })),
    });
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await sandbox.remove();
});

/** The toolbox's own chain of headers: files of a CDN up to some blocks ago, from there on what WhatsOnChain tells. */
async function track(): Promise<Chaintracks> {
  const cdn = `${sandbox.root}/cdn/`;
  const options = createDefaultNoDbChaintracksOptions('test', '', 100_000, 2, undefined, cdn, 10, 5);
  const tracks = new Chaintracks({ ...options, logging: () => undefined });
  await tracks.makeAvailable();
  return tracks;
}

it("the toolbox's Chaintracks reads all headers from the files and the newest from WhatsOnChain", async () => {
  await sandbox.service.mine({ blocks: 20 });
  const { height, hash } = sandbox.service.node.tip();
  const tracks = await track();
  expect(await tracks.findChainTipHeader()).toMatchObject({ height, hash });
  expect(await tracks.getInfo()).toMatchObject({ heightBulk: height - 12, heightLive: height });
  expect(await tracks.validate()).toBe(true);
  await tracks.destroy();
});
