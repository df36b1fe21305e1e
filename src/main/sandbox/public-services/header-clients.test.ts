import { BlockHeadersService, WhatsOnChain } from '@bsv/sdk';
import { BHServiceClient } from '@bsv/wallet-toolbox-client/out/src/services/chaintracker/BHServiceClient.js';
import { ChaintracksChainTracker } from '@bsv/wallet-toolbox-client/out/src/services/chaintracker/ChaintracksChainTracker.js';
import { ChaintracksServiceClient } from '@bsv/wallet-toolbox-client/out/src/services/chaintracker/chaintracks/ChaintracksServiceClient.js';
import { WhatsOnChainServices } from '@bsv/wallet-toolbox-client/out/src/services/chaintracker/chaintracks/Ingest/WhatsOnChainServices.js';
import { WhatsOnChainNoServices } from '@bsv/wallet-toolbox-client/out/src/services/providers/WhatsOnChain.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEADER_BYTES, headerHash, parseHeader, toHex } from '../../../chain/index.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';
import { clientOf } from '../test-support/public-client.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
  await sandbox.service.mine({ blocks: 3 });
});
afterAll(() => sandbox.remove());

async function headerAt(height: number): Promise<Uint8Array> {
  const row = await sandbox.service.node.db
    .selectFrom('node_blocks')
    .select('header')
    .where('height', '=', height)
    .executeTakeFirstOrThrow();
  return row.header;
}

describe('third-party clients of block headers:', () => {
  it('the chain tracker of the SDK reads the height, and accepts a Merkle root only at its own height', async () => {
    const tracker = new WhatsOnChain('test', { httpClient: clientOf(sandbox) });
    const { height } = sandbox.service.node.tip();
    expect(await tracker.currentHeight()).toBe(height);
    const { merkleRoot } = parseHeader(await headerAt(height));
    expect(await tracker.isValidRootForHeight(merkleRoot, height)).toBe(true);
    expect(await tracker.isValidRootForHeight(merkleRoot, height - 1)).toBe(false);
    expect(await tracker.isValidRootForHeight(merkleRoot, height + 1)).toBe(false);
  });

  it('the chain tracker of a Block Headers Service accepts a Merkle root only at its own height, and follows a reorganisation', async () => {
    const tracker = new BlockHeadersService(`${sandbox.root}/bhs`, { apiKey: 'any' });
    const { height } = sandbox.service.node.tip();
    expect(await tracker.currentHeight()).toBe(height);
    const { merkleRoot } = parseHeader(await headerAt(height));
    expect(await tracker.isValidRootForHeight(merkleRoot, height)).toBe(true);
    expect(await tracker.isValidRootForHeight(merkleRoot, height - 1)).toBe(false);
    expect(await tracker.isValidRootForHeight(merkleRoot, height + 1)).toBe(false);
    const toolbox = new BHServiceClient('test', `${sandbox.root}/bhs`, 'any');
    const known = { height, hash: sandbox.service.node.tip().hash, merkleRoot };
    expect(await toolbox.findChainTipHeader()).toMatchObject(known);
    expect(await toolbox.findHeaderForHeight(height)).toMatchObject(known);
    expect(await toolbox.findHeaderForBlockHash(known.hash)).toMatchObject(known);
    expect(await toolbox.getHeaders(height - 1, 2)).toBe(
      toHex(await headerAt(height - 1)) + toHex(await headerAt(height)),
    );
    await sandbox.service.reorg({ depth: 1 });
    expect(await tracker.isValidRootForHeight(merkleRoot, height)).toBe(false);
    expect(await tracker.currentHeight()).toBe(height + 1);
    const refused = await sandbox.send('POST', '/bhs/api/v1/chain/merkleroot/verify', []);
    expect([refused.status, refused.body.code]).toEqual([400, 'ErrGeneric']);
    const [first] = (await sandbox.send('GET', '/bhs/api/v1/chain/header/byHeight?height=1&count=2')).body;
    expect(first.prevBlockHash).toBe(
      (await sandbox.send('GET', `/bhs/api/v1/chain/header/${first.prevBlockHash}`)).body.hash,
    );
    expect((await sandbox.send('GET', `/bhs/api/v1/chain/header/${'ab'.repeat(32)}`)).status).toBe(404);
  });

  it('the toolbox reads the tip, a header by its hash, and the files of all headers', async () => {
    const { height, hash } = sandbox.service.node.tip();
    const toolbox = new WhatsOnChainNoServices('test', { httpClient: clientOf(sandbox) } as never);
    expect(await toolbox.getChainInfo()).toMatchObject({ blocks: height, bestblockhash: hash });
    const { previousHash, merkleRoot, bits, nonce } = parseHeader(await headerAt(height));
    expect(await toolbox.getBlockHeaderByHash(hash)).toMatchObject({ height, previousHash, merkleRoot, bits, nonce });
    const here = (url: string) =>
      url.replace('https://api.whatsonchain.com/v1/bsv/test', `${sandbox.root}/woc/v1/bsv/test`);
    const reader = {
      fetchJson: async (url: string) => (await fetch(here(url))).json(),
      download: async (url: string) => new Uint8Array(await (await fetch(here(url))).arrayBuffer()),
    };
    const services = new WhatsOnChainServices(WhatsOnChainServices.createWhatsOnChainServicesOptions('test'));
    const newest = await services.getHeaders(reader as never);
    expect(newest[0]).toMatchObject({ height, hash });
  });

  it("the toolbox's client of a Chaintracks service reads headers, and accepts a Merkle root only at its own height", async () => {
    const { height, hash } = sandbox.service.node.tip();
    const client = new ChaintracksServiceClient('test', `${sandbox.root}/arcade/chaintracks/v1`);
    const { merkleRoot, previousHash } = parseHeader(await headerAt(height));
    const known = { height, hash, merkleRoot, previousHash };
    expect(await client.getPresentHeight()).toBe(height);
    expect(await client.getInfo()).toMatchObject({ chain: 'test', heightLive: height });
    expect(await client.findChainTipHash()).toBe(hash);
    expect(await client.findChainTipHeader()).toMatchObject(known);
    expect(await client.findHeaderForHeight(height)).toMatchObject(known);
    expect(await client.findHeaderForBlockHash(hash)).toMatchObject(known);
    expect(await client.findHeaderForHeight(height + 1)).toBeUndefined();
    expect(await client.getHeaders(height - 1, 2)).toBe(
      toHex(await headerAt(height - 1)) + toHex(await headerAt(height)),
    );
    const tracker = new ChaintracksChainTracker('test', client);
    expect(await tracker.currentHeight()).toBe(height);
    expect(await tracker.isValidRootForHeight(merkleRoot, height)).toBe(true);
    expect(await tracker.isValidRootForHeight(merkleRoot, height - 1)).toBe(false);
    await expect(client.getHeaders(-1, 1)).rejects.toThrow('not a number');
  });

  it('Arcade answers under the paths of both clients', async () => {
    const { height, hash } = sandbox.service.node.tip();
    const bytes = async (path: string) =>
      new Uint8Array(await (await fetch(`${sandbox.root}/arcade/chaintracks/v2${path}`)).arrayBuffer());
    const tip = await bytes('/tip.bin');
    expect([tip.length, headerHash(tip)]).toEqual([HEADER_BYTES, hash]);
    expect(await bytes(`/header/height/${height}.bin`)).toEqual(tip);
    expect(await bytes(`/header/hash/${hash}.bin`)).toEqual(tip);
    expect(await bytes('/headers.bin?height=2&count=2')).toEqual(await bytes('/headers?height=2&count=2'));
    expect((await fetch(`${sandbox.root}/arcade/chaintracks/v2/header/height/900.bin`)).status).toBe(404);
  });
});
