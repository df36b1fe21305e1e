/** A gateway without a node, in a process of its own, over headers in a file and one transaction that is held here. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bumpOfPath,
  displayToHash,
  fromHex,
  MerkleTree,
  satoshis,
  serializeTx,
  txidOf,
} from '../../src/chain/index.ts';
import { createPublicChainData } from '../../src/main/chain-data/public/public-chain-data.ts';
import { systemClock } from '../../src/main/clock.ts';
import { PublicAnswers } from '../../src/main/gateway/public/public-answers.ts';
import { startGateway } from '../../src/main/gateway/test-support/gateway.ts';
import { mineHeaders } from './load/header-load.ts';

const HEIGHT = Number(process.argv[2]);

const script = fromHex(`76a914${'11'.repeat(20)}88ac`);
const raw = serializeTx({
  version: 1,
  inputs: [{ txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(107).fill(1), sequence: 0xffffffff }],
  outputs: [1_000, 2_000].map((value) => ({ satoshis: satoshis(value), script })),
  lockTime: 0,
});
const txid = txidOf(raw);
const tree = new MerkleTree([txid, 'cd'.repeat(32)]);
const bump = bumpOfPath(HEIGHT, tree.path(0));
const load = mineHeaders(HEIGHT, displayToHash(tree.root));
const headers = load.open(mkdtempSync(join(tmpdir(), 'planchet-bench-headers-')));
await headers.refresh();
const network = 'sandbox';
const chainData = createPublicChainData({
  headers,
  network,
  clock: systemClock,
  sources: () => [],
  kept: [async (id) => (id === txid ? { rawTx: raw, bump } : undefined)],
  onInvalid: () => undefined,
});
const withoutNode = new PublicAnswers({
  network,
  headers,
  chainData,
  clock: systemClock,
  source: () => 'public',
  mostTransactions: () => 0,
  ownSince: async () => undefined,
});
const { port } = await startGateway('', { options: { withoutNode } });
const hashes = Array.from({ length: HEIGHT + 1 }, (_, height) => load.hashAt(height));
process.send?.({ port, txid, hashes });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit(0));
