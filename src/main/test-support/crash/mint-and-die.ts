/**
 * Mints one file in a process of its own and kills that process at a named point: `mint-and-die.ts <dataDir> <crashPoint>`. The parent
 * starts it again without a point and expects the mint to end as if nothing had happened.
 */
import { addItem, openTestHost, until, walletPaid } from '../hosts/open-host.ts';

const [dataDir, point] = process.argv.slice(2) as [string, string];

const { client } = await openTestHost({
  dataDir,
  scope: 'core',
  crashPoint: (where) => {
    if (where === point) process.kill(process.pid, 'SIGKILL');
  },
});
const project = await client.projects.create({ name: 'Crash', type: 'single' });
const itemId = await addItem(client, project.uid, {
  name: 'crash.txt',
  bytes: new TextEncoder().encode(`killed at ${point}`),
});
await walletPaid(client);
const { address } = await client.wallet.status();
const job = await client.mint.create({
  itemIds: [itemId],
  destination: address as string,
  idempotencyKey: `key-of-${point}`,
});
await until(async () => {
  const { awaitingApproval, review, failure } = await client.mint.get({ id: job.id });
  if (failure) throw new Error(failure.message);
  return awaitingApproval && review ? client.mint.approve({ id: job.id, digest: review.digest }) : undefined;
});
await until(async () => (await client.mint.get({ id: job.id })).state === 'proven');
// Reached only where the point is never passed, which the parent takes for a failure.
process.exit(7);
