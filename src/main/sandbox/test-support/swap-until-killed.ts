/** Replaces the network in the given folder again and again until it is killed. */
import { openLasting } from './lasting-sandbox.ts';

const [, , folder, exported] = process.argv;
if (folder === undefined || exported === undefined) throw new Error('which folder, which file?');
const service = await openLasting(folder);
for (;;) {
  await service.snapshots.revert({ name: 'first' });
  process.stdout.write('.');
  await service.import({ file: exported });
  await service.reset({ seed: 'third' });
}
