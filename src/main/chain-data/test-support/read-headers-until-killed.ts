/** Reads all headers into a folder, a mark on its output for each reading, and ends when there is nothing more. */
import { CHECKPOINT, chainAfter, listedHeaders, openHeaders } from './killed-headers.ts';

const [, , folder, turn] = process.argv;
if (folder === undefined || turn === undefined) throw new Error('which folder, after how many reorganisations?');
const node = chainAfter(Number(turn));
const source = listedHeaders(node, () => process.stdout.write('.'));
const store = openHeaders(folder, node.hashes[CHECKPOINT] as string, source);
store.sync({ from: 0 });
await store.refresh();
await store.close();
