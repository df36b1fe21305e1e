/**
 * Sends six tokens to six addresses in three transactions, until it is killed at one of the points where the disk or another party has taken
 * note of something: `node send-many-kill-child.ts FOLDER POINTS PLAN`. With 0 points it goes to its end. Started again, it goes on.
 * `send` sends all; `pause` pauses while the first transaction is sent; `drop` drops what is left then, and sends it by a payment of its own.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeAddress, fromHex, parseTx, toHex, txidOf } from '../../../chain/index.ts';
import { sentTokens } from '../../../contract/index.ts';
import { KeepingMiner } from './keeping-miner.ts';
import { openAccounts } from './test-accounts.ts';
import { payment } from './test-node.ts';
import { killAfter, openInFolder } from './wallet-of-process.ts';

const TOKENS = 6;
const [folder = '', points, plan = 'send'] = process.argv.slice(2);
const point = killAfter(Number(points));

const KEPT = join(folder, 'kept.txt');

/** Writes down what it takes, as somebody else's disk would. */
class RecordingMiner extends KeepingMiner {
  override refuses = false;
  override async submit(rawTx: Uint8Array): ReturnType<KeepingMiner['submit']> {
    appendFileSync(KEPT, `${toHex(rawTx)}\n`);
    if (plan === 'pause') paused ??= payments.pause({ id: send.id });
    point();
    // Sent once more, it is in the mempool already.
    if (harness.node.mempool.some((tx) => txidOf(tx) === txidOf(parseTx(rawTx))))
      return { txid: txidOf(parseTx(rawTx)) };
    return super.submit(rawTx);
  }
}

const { harness, wallet } = await openInFolder(folder);
const script = wallet.lockingScript();
const tokens = payment(...Array.from({ length: TOKENS }, () => ({ script, satoshis: 1 })));
harness.node.mine([tokens, payment(...[30_000, 20_000, 10_000].map((satoshis) => ({ script, satoshis })))]);
if (existsSync(KEPT))
  for (const hex of new Set(readFileSync(KEPT, 'utf8').trim().split('\n')))
    harness.node.mempool.push(parseTx(fromHex(hex)));
await wallet.start();
await wallet.follow();
const accounts = await openAccounts({ harness, wallet }, 'sandbox', {
  merchant: new RecordingMiner(harness.node),
  limits: { inputs: 4, transactions: 3, tokens: 2 },
  crashPoint: point,
});
const { payments } = accounts.main;
await payments.start();
const moves = Array.from({ length: TOKENS }, (_, n) => ({
  outpoint: `${txidOf(tokens)}_${n}`,
  address: encodeAddress(new Uint8Array(20).fill(n + 1), 'test'),
}));
writeFileSync(join(folder, 'moves.json'), JSON.stringify(moves));
let paused: Promise<unknown> | undefined;

async function goes(id: string, digest: string): Promise<void> {
  await payments.approve({ id, digest });
  point();
  while ((await payments.get(id)).transactions?.some(({ state }) => state === 'signed'))
    await new Promise((resolve) => setImmediate(resolve));
}

const send = await payments.prepareTokens({ moves, idempotencyKey: 'the-airdrop' });
point();
if (plan === 'drop') {
  const left = sentTokens(send).flatMap(({ outpoint, address, txid }) => (txid === null ? { outpoint, address } : []));
  if (send.canCancel) await payments.cancel({ id: send.id });
  point();
  if (left.length > 0) {
    const rest = await payments.prepareTokens({ moves: left, idempotencyKey: 'the-rest' });
    point();
    await goes(rest.id, rest.review.digest);
  }
} else await goes(send.id, send.review.digest);
await paused;
writeFileSync(join(folder, 'ended.json'), JSON.stringify(await payments.get(send.id)));
await payments.stop();
await wallet.stop();
await harness.store.close();
