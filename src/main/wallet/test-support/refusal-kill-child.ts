/**
 * Pays one address again and again, while whoever gets the bytes keeps and refuses them, until it is killed at one of the points where the
 * disk or another party has taken note of something: `node refusal-kill-child.ts FOLDER POINTS RUN`. With 0 points it goes to its end.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { toHex } from '../../../chain/index.ts';
import { KeepingMiner } from './keeping-miner.ts';
import { openAccounts } from './test-accounts.ts';
import { payment } from './test-node.ts';
import { killAfter, openInFolder } from './wallet-of-process.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';
const ASKED = 3;

const [folder = '', points, run] = process.argv.slice(2);
const point = killAfter(Number(points));

/** Writes down what it keeps, as somebody else's disk would. */
class RecordingMiner extends KeepingMiner {
  override async submit(rawTx: Uint8Array): ReturnType<KeepingMiner['submit']> {
    appendFileSync(join(folder, 'kept.txt'), `${toHex(rawTx)}\n`);
    point();
    return super.submit(rawTx);
  }
}

const { harness, wallet } = await openInFolder(folder);
// Each run has one coin more, which fits better than those before.
for (let coin = 0; coin <= Number(run); coin++)
  harness.node.mine([payment({ script: wallet.lockingScript(), satoshis: 50_000 - 1_000 * coin })]);
await wallet.start();
await wallet.follow();
const accounts = await openAccounts({ harness, wallet }, 'sandbox', {
  merchant: new RecordingMiner(harness.node),
  crashPoint: point,
});
const { payments } = accounts.main;
await payments.start();
for (let asked = 0; asked < ASKED; asked++) {
  while ((await payments.list()).some(({ active }) => active)) await new Promise((resolve) => setImmediate(resolve));
  const waiting = (await payments.list()).find(({ awaitingApproval }) => awaitingApproval);
  // Another amount, so that each is another transaction.
  const request = { to: [{ address: FOREIGN, satoshis: 5_000 + 10 * Number(run) + asked }], feeRate: 500 };
  const send = waiting ?? (await payments.prepare({ request, idempotencyKey: `${run}/${asked}` }));
  await payments.approve({ id: send.id, digest: send.review.digest });
  point();
}
await payments.stop();
await wallet.stop();
await harness.store.close();
