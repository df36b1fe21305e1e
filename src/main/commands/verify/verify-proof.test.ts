import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  bumpOfPath,
  concatBytes,
  displayToHash,
  fromHex,
  hashNodes,
  hashToDisplay,
  headerHash,
  meetsTarget,
  merkleBranch,
  merkleRoot,
  satoshis,
  serializeHeader,
  serializeTx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { type ChainRules, rulesOf } from '../../chain-data/headers/chain-rules.ts';
import { callCommand } from '../../test-support/hosts/call-command.ts';

const RAW = serializeTx({
  version: 1,
  inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0 }],
  outputs: [{ satoshis: satoshis(1), script: new Uint8Array(25) }],
  lockTime: 0,
});
const TXIDS = [...['11', '22', '33', '44'].map((byte) => byte.repeat(32)), txidOf(RAW)];
const { genesis } = rulesOf('sandbox', 'regtest') as ChainRules;
let folder: string;
let blockHash: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-verify-proof-'));
  mkdirSync(join(folder, 'data', 'sandbox'), { recursive: true });
  const merkle = merkleRoot(TXIDS);
  for (let nonce = 0; ; nonce++) {
    const fields = {
      version: 1,
      previousHash: headerHash(genesis),
      merkleRoot: merkle,
      time: 2 ** 31,
      bits: 0x207fffff,
    };
    const header = serializeHeader({ ...fields, nonce });
    blockHash = headerHash(header);
    if (!meetsTarget(blockHash, fields.bits)) continue;
    writeFileSync(join(folder, 'data', 'sandbox', 'headers-regtest.dat'), Buffer.concat([genesis, header]));
    return;
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function call(content: string | Uint8Array, txid: string, dataDir = 'data', ...more: string[]) {
  const path = join(folder, 'proof');
  writeFileSync(path, content);
  return callCommand(['--data-dir', join(folder, dataDir), 'verify', path, '--txid', txid, ...more]);
}

async function verify(content: string | Uint8Array, txid: string, dataDir = 'data') {
  const { code, out } = await call(content, txid, dataDir, '--json');
  return { code, verdict: JSON.parse(out) as Record<string, unknown> };
}

it('planchet verify --txid takes a proof as JSON, bytes or hex, without a running application', async () => {
  const [txid, index] = [TXIDS[4] as string, 4];
  const nodes = merkleBranch(TXIDS, index);
  const siblings = nodes.map((node) => (node === '*' ? null : displayToHash(node)));
  const bump = bumpOfPath(1, { txid, index, siblings });
  const json = JSON.stringify({ index, txOrId: txid, target: blockHash, nodes });
  for (const content of [json, bump, `${toHex(bump)}\n`]) {
    expect(await verify(content, txid)).toEqual({
      code: 0,
      verdict: {
        valid: true,
        txid,
        network: 'sandbox',
        blockHash,
        height: 1,
        index,
        transactionInFile: false,
        bump: toHex(bump),
      },
    });
  }
  expect(await verify(bump, TXIDS[1] as string)).toEqual({
    code: 1,
    verdict: { valid: false, txid: TXIDS[1], reason: 'The proof is about another transaction.' },
  });
  expect(await verify(bump.with(0, 9), txid)).toMatchObject({
    code: 1,
    verdict: { reason: expect.stringMatching(/active chain/) },
  });
  expect(await verify('{"composite":true}', txid)).toMatchObject({
    code: 1,
    verdict: { reason: expect.stringMatching(/[Cc]omposite/) },
  });
  expect(await verify('no proof', txid)).toMatchObject({ code: 1, verdict: { valid: false } });
  expect(await verify(bump, txid, 'elsewhere')).toMatchObject({
    code: 1,
    verdict: { reason: expect.stringMatching(/No headers are stored/) },
  });
});

it('planchet verify --txid says where the file does not show that the id is that of a transaction', async () => {
  const [txid, index] = [TXIDS[4] as string, 4];
  const nodes = merkleBranch(TXIDS, index);
  const siblings = nodes.map((node) => (node === '*' ? null : displayToHash(node)));
  const bump = bumpOfPath(1, { txid, index, siblings });
  const beefWith = (...transaction: Uint8Array[]) =>
    concatBytes(fromHex('0200beef01'), bump, Uint8Array.of(1), ...transaction);
  const holding = [
    JSON.stringify({ index, txOrId: toHex(RAW), target: blockHash, nodes }),
    concatBytes(
      Uint8Array.of(1, index, RAW.length),
      RAW,
      displayToHash(blockHash),
      Uint8Array.of(nodes.length),
      ...siblings.map((sibling) => (sibling === null ? Uint8Array.of(1) : concatBytes(Uint8Array.of(0), sibling))),
    ),
    beefWith(Uint8Array.of(1, 0), RAW),
  ];
  for (const content of holding) {
    expect(await verify(content, txid)).toMatchObject({ code: 0, verdict: { valid: true, transactionInFile: true } });
    expect((await call(content, txid)).out).toBe(
      `Valid: block 1 of the sandbox network (${blockHash}) holds ${txid} at index 4.\n`,
    );
  }

  // a node above the first two transactions, with the rest of their path
  const [first, second] = TXIDS.map(displayToHash) as [Uint8Array, Uint8Array];
  const node = hashToDisplay(hashNodes(first, second));
  const above = merkleBranch(TXIDS, 0).slice(1);
  const ofNode = JSON.stringify({ index: 0, txOrId: node, target: blockHash, nodes: above });
  for (const [content, id] of [
    [ofNode, node],
    [bump, txid],
  ] as const) {
    expect((await verify(content, id)).verdict).toMatchObject({ transactionInFile: false });
    const { out } = await call(content, id);
    expect(out).toContain(`Valid: the Merkle tree of block 1 of the sandbox network (${blockHash}) holds ${id}`);
    expect(out).toContain('cannot show: that this is the id of a transaction, and not of a node of the tree');
  }
});
