import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  bumpOfPath,
  displayToHash,
  headerHash,
  meetsTarget,
  merkleBranch,
  merkleRoot,
  serializeHeader,
  toHex,
} from '../../chain/index.ts';
import { type ChainRules, rulesOf } from '../merchant/headers/chain-rules.ts';
import { callCommand } from '../test-support/hosts/call-command.ts';

const TXIDS = ['11', '22', '33', '44', '55'].map((byte) => byte.repeat(32));
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

async function verify(content: string | Uint8Array, txid: string, dataDir = 'data') {
  const path = join(folder, 'proof');
  writeFileSync(path, content);
  const { code, out } = await callCommand([
    '--data-dir',
    join(folder, dataDir),
    'verify',
    path,
    '--txid',
    txid,
    '--json',
  ]);
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
      verdict: { valid: true, txid, network: 'sandbox', blockHash, height: 1, index, bump: toHex(bump) },
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
