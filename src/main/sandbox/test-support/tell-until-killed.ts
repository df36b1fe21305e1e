/** Submits transactions with callbacks to the given address and mines them until it is killed; prints each acknowledged txid. */
import { toHex } from '../../../chain/index.ts';
import { ask, openLasting, ownAddress, payOn } from './lasting-sandbox.ts';

const COIN = 10_000;

const [, , folder, callbackUrl] = process.argv;
if (folder === undefined || callbackUrl === undefined) throw new Error('which folder, whose address?');
const service = await openLasting(folder);
for (let round = 0; ; round++) {
  const rawTx = toHex(payOn((await service.fund({ address: ownAddress, satoshis: COIN })).txid, COIN));
  const result = await ask(service, 'POST', '/mapi/tx', { rawTx, callbackUrl, merkleProof: true });
  const { txid, returnResult } = result as { txid: string; returnResult: string };
  if (returnResult === 'success') process.stdout.write(`${txid}\n`);
  if (round % 4 === 3) await service.mine({ blocks: 1 });
  if (round % 16 === 15) await service.reorg({ depth: 2 });
}
