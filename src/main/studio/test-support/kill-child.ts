/**
 * Runs a studio in a process of its own and ends it with SIGKILL at a given point of the mint, as a power cut would.
 * Arguments: data folder, address of the test service, crash point, how many times it may be passed before.
 */
import { OWN_ADDRESS } from './file-wallet.ts';
import { openStudio } from './test-studio.ts';
import { until } from './until.ts';

const [dataDir, url, point, passes] = process.argv.slice(2) as [string, string, string, string];
let left = Number(passes);
const opened = await openStudio({
  dataDir,
  url,
  crashPoint: (where) => {
    if (where === point && left-- === 0) process.kill(process.pid, 'SIGKILL');
  },
});
const { studio, tip } = opened;
const [project] = await studio.projects.list();
const items = await studio.items.list({ projectUid: project?.uid as string });
const itemIds = items.map(({ id }) => id);
const { id } = await studio.mint.create({ itemIds, destination: OWN_ADDRESS, idempotencyKey: 'the only mint' });
const job = await until(
  () => studio.jobs().find((one) => one.id === id),
  (one) => one?.awaitingApproval === true,
);
await studio.mint.approve({ id, digest: job?.review?.digest as string });
process.stdout.write('approved\n');
const beat = setInterval(() => tip.announce(), 50);
await until(
  () => studio.jobs()[0]?.state,
  (state) => state === 'proven',
);
clearInterval(beat);
await opened.close();
