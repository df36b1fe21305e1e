import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromHex, parseHeader, toHex } from '../../../chain/index.ts';
import { systemClock } from '../../clock.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { clientParts, endpointsOf, settingsOf, Upstream } from '../test-support/upstream.ts';
import { NodeClient } from '../upstream/client.ts';
import { provenHeader, provenHeight } from './block-evidence.ts';

let sandbox: SandboxUpstream;
let direct: NodeClient;
beforeAll(async () => {
  sandbox = await startSandboxUpstream();
  direct = clientAt(sandbox.url);
});
afterAll(async () => {
  await direct.close();
  await sandbox.stop();
});

function clientAt(bitcoinRpcUrl: string): NodeClient {
  const endpoints = endpointsOf({ bitcoinRpcUrl });
  return new NodeClient({ ...clientParts, endpoints, settings: settingsOf(), clock: systemClock });
}

interface Told {
  tx: { hex: string }[];
  merkleproof: string[];
}

async function best(): Promise<{ hash: string; raw: string; told: Told; height: number }> {
  const hash = await direct.call<string>('getbestblockhash');
  const raw = await direct.call<string>('getblockheader', [hash, false]);
  const told = await direct.call<Told>('getblockheader', [hash, 2]);
  return { hash, raw, told, height: await direct.call<number>('getblockcount') };
}

it('the height of a block is that in its coinbase, if its Merkle branch leads to the header', async () => {
  const { hash, raw, told, height } = await best();
  const header = provenHeader(hash, raw);
  if (header === undefined) throw new Error('the header of a real block was not taken');
  expect(provenHeight(hash, header, told)).toBe(height);
  const [coinbase] = told.tx as [{ hex: string }];
  // the height follows version, input count, outpoint, script length and push opcode
  const altered = fromHex(coinbase.hex);
  const at = 4 + 1 + 36 + 1 + 1;
  altered[at] = (altered[at] as number) ^ 1;
  expect(provenHeight(hash, header, { ...told, tx: [{ hex: toHex(altered) }] })).toBeUndefined();
  const other = { ...header, merkleRoot: '11'.repeat(32) };
  expect(provenHeight(hash, other, told)).toBeUndefined();
  // before version 2, the coinbase script could start with anything
  expect(provenHeight(hash, { ...header, version: 1 }, told)).toBeUndefined();
  for (const nothing of [null, 'x', {}, { tx: [] }, { tx: [{ hex: 'zz' }], merkleproof: [] }, { ...told, tx: [7] }]) {
    expect(provenHeight(hash, header, nothing)).toBeUndefined();
  }
  expect(provenHeight(hash, header, { ...told, merkleproof: [1, {}] })).toBeUndefined();
});

it('the height of a block is checked even with a single upstream: one that claims another height for its best block is not believed', async () => {
  const { height } = await best();
  const liar = new Upstream((request, response) => {
    void (async () => {
      const { method, params, id } = request;
      const value = await direct.call<Record<string, unknown>>(method, params as unknown[]);
      if (method === 'getblockchaininfo') value.blocks = 99_999_999;
      if (method === 'getblockheader' && (params as unknown[])[1] === true) value.height = 99_999_999;
      response.end(JSON.stringify({ result: value, error: null, id: JSON.parse(id) }));
    })();
  });
  liar.tellsChain = true;
  await liar.start();
  const node = clientAt(liar.url);
  try {
    await node.measure();
    expect(node.health()).toMatchObject([
      { height, lastFailure: expect.stringContaining('claims height 99,999,999, but its headers show') },
    ]);
  } finally {
    await node.close();
    await liar.stop();
  }
});

it('a header is accepted only if it hashes to the block and meets its target', async () => {
  const { hash, raw } = await best();
  expect(provenHeader(hash, raw)).toEqual(parseHeader(fromHex(raw)));
  for (const other of [raw.slice(2), `${raw}00`, `ff${raw.slice(2)}`, 7, null, 'zz'.repeat(80)]) {
    expect(provenHeader(hash, other)).toBeUndefined();
  }
});
