import { expect, it } from 'vitest';
import { parseTx, serializeTx, toHex } from '../../../chain/index.ts';
import { output, spend } from '../test-support/merchant.ts';
import { sandboxesAndReceivers } from '../test-support/receiver.ts';

const { open } = sandboxesAndReceivers();

it('Arcade measures the scripts of a transaction of more outputs than a call takes arguments', async () => {
  const sandbox = await open();
  const tx = parseTx(spend(await sandbox.coin()));
  const small = Array(200_000).fill(output(1, new Uint8Array(0)));
  const raw = serializeTx({ ...tx, outputs: [output(1, new Uint8Array(500_001)), ...small] });
  const { body } = await sandbox.send('POST', '/arcade/tx', { rawTx: toHex(raw) });
  expect(JSON.stringify(body)).toContain('maxscriptsizepolicy');
});
