/**
 * Reads all headers from files into a folder, once for each line on its input: a mark on its output for each reading, `0` where it has all of them down
 * to the first, and `1` where a file failed.
 */
import { createInterface } from 'node:readline';
import { systemClock } from '../../clock.ts';
import { OperatorHeaders } from '../headers/public/header-operator.ts';
import { cdnHeaders } from '../sources/cdn/headers.ts';
import { createSourceClient } from '../sources/http/source-client.ts';
import { LISTING } from './header-files.ts';
import { openHeaders } from './killed-headers.ts';

const [, , folder, baseUrl, checkpoint] = process.argv;
if (folder === undefined || baseUrl === undefined || checkpoint === undefined)
  throw new Error('which folder, from where, above which block?');
for await (const _ of createInterface({ input: process.stdin })) {
  const client = createSourceClient({ operator: 'cdn', baseUrl, clock: systemClock, minIntervalMs: 0 });
  const files = new OperatorHeaders(cdnHeaders(client, LISTING)).until(new AbortController().signal);
  const read: typeof files.read = (...range) => {
    process.stdout.write('.');
    return files.read(...range);
  };
  const store = openHeaders(folder, checkpoint, { ...files, read });
  store.sync({ from: 0 });
  await store.refresh();
  const { failure, lowest, sources } = store.status();
  await store.close();
  const hasAll = failure === null && sources.every((one) => one.failure === null) && lowest === 0;
  process.stdout.write(hasAll ? '0' : '1');
}
