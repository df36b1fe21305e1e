/** Reads all headers into a folder, a mark on its output for each reading, and ends when there is nothing more. */
import { chainAfter, openHeaders } from './killed-headers.ts';

const [, , folder, turn] = process.argv;
if (folder === undefined || turn === undefined) throw new Error('which folder, after how many reorganisations?');
const store = openHeaders(folder, chainAfter(Number(turn)), () => process.stdout.write('.'));
store.sync({ from: 0 });
await store.refresh();
await store.close();
