/**
 * Takes a mint run forward in a process of its own and ends it with SIGKILL after so many points, as a power cut would.
 * Arguments: data folder, address of the test service, points until the end (0: it is not killed).
 */
import { OWN_ADDRESS } from './file-wallet.ts';
import { openStudio } from './test-studio.ts';
import { until } from './until.ts';

const [dataDir, url, points] = process.argv.slice(2) as [string, string, string];
let left = Number(points);
const opened = await openStudio({
  dataDir,
  url,
  crashPoint: () => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  },
});
const { studio, tip } = opened;
const [project] = await studio.projects.list();
const target = { projectUid: project?.uid as string, destination: OWN_ADDRESS, idempotencyKey: 'the only run' };
const created = await studio.runs.create(target);
if (created.canApprove) await studio.runs.approve(created);
let run = created;
const beat = setInterval(() => {
  tip.announce();
  void studio.runs.get(created).then((answer) => {
    run = answer.run;
  });
}, 50);
await until(
  () => run,
  ({ state }) => state === 'done' || state === 'paused',
  60_000,
);
clearInterval(beat);
const { items } = await studio.runs.items({ id: run.id, offset: 0, limit: 1_000 });
process.stdout.write(JSON.stringify({ run, failures: items.flatMap(({ failure }) => failure ?? []) }));
await opened.close();
