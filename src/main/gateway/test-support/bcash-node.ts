/**
 * A full node of the npm package bcash 1.1.1 on its regression-test network: in memory, with an index of transactions, without peers. Forked with the
 * folder in which the package is installed. Each message is answered by one: `{ block }` in hex is connected, `{ method, params }` is called.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface FullNode {
  readonly chain: { add(block: unknown): Promise<unknown> };
  readonly rpc: { call(call: object, query: object): Promise<{ result: unknown; error: unknown }> };
  open(): Promise<void>;
}
interface Bcash {
  readonly FullNode: new (options: object) => FullNode;
  readonly Block: { fromRaw(hex: string, encoding: 'hex'): unknown };
}

const load = createRequire(join(process.argv[2] as string, 'package.json'));
// The database on disk is built when the package is installed with its scripts. A node in memory does not use it.
const database = load.resolve('bdb/lib/level.js');
load.cache[database] = { id: database, exports: class {}, loaded: true } as unknown as NodeJS.Module;
const { FullNode, Block } = load('bcash') as Bcash;
const node = new FullNode({
  network: 'regtest',
  memory: true,
  workers: false,
  listen: false,
  indexTX: true,
  httpPort: 48_999,
  port: 48_998,
});
await node.open();

async function answer(message: { block?: string; method?: string; params?: unknown[] }): Promise<unknown> {
  if (message.block === undefined) return node.rpc.call(message, {});
  return { result: (await node.chain.add(Block.fromRaw(message.block, 'hex'))) !== null, error: null };
}

process.on('message', (message: object) => {
  answer(message).then(
    (value) => process.send?.(value),
    (error: unknown) => process.send?.({ result: null, error: { message: String(error) } }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
