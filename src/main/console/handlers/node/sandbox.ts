import { isAbsolute } from 'node:path';
import { PlanchetError } from '../../../../contract/index.ts';
import type { ConsoleContext, SandboxPort } from '../../context.ts';
import { os } from '../base.ts';

export const sandbox = {
  mine: os.sandbox.mine.handler(async ({ context, input }) => ({ hashes: await required(context).mine(input.blocks) })),
  fund: os.sandbox.fund.handler(async ({ context, input }) => ({
    txid: await required(context).fund(input.address, input.satoshis),
  })),
  status: os.sandbox.status.handler(({ context }) => required(context).status()),
  reorg: os.sandbox.reorg.handler(async ({ context, input }) => ({
    hashes: await required(context).reorg(input.depth),
  })),
  chain: os.sandbox.chain.handler(({ context, input }) => required(context).chain(input.limit)),
  undoReorg: os.sandbox.undoReorg.handler(({ context, input }) => required(context).undoReorg(input.hash)),
  doubleSpend: os.sandbox.doubleSpend.handler(({ context, input }) => required(context).doubleSpend(input)),
  relay: os.sandbox.relay.handler(({ context, input }) => required(context).relay(input)),
  faults: {
    set: os.sandbox.faults.set.handler(async ({ context, input }) => {
      required(context).setFault(input);
      return (await required(context).status()).faults;
    }),
    clear: os.sandbox.faults.clear.handler(async ({ context, input }) => {
      required(context).clearFault(input.name);
      return (await required(context).status()).faults;
    }),
  },
  clock: os.sandbox.clock.handler(({ context, input }) => required(context).setClock(input)),
  createKey: os.sandbox.createKey.handler(async ({ context, input }) => ({
    apiKey: await required(context).createKey(input),
  })),
  snapshots: {
    take: os.sandbox.snapshots.take.handler(({ context, input }) => required(context).snapshot(input.name)),
    revert: os.sandbox.snapshots.revert.handler(({ context, input }) => required(context).revert(input.name)),
    remove: os.sandbox.snapshots.remove.handler(({ context, input }) => required(context).removeSnapshot(input.name)),
  },
  reset: os.sandbox.reset.handler(({ context, input }) => required(context).reset(input)),
  export: os.sandbox.export.handler(({ context, input }) => required(context).exportTo(absolute(input.file))),
  import: os.sandbox.import.handler(({ context, input }) => required(context).importFrom(absolute(input.file))),
};

/** A relative path would name a different file here than in the working folder of the client. */
function absolute(file: string): string {
  if (isAbsolute(file)) return file;
  throw new PlanchetError('console.path-not-absolute', { file });
}

function required({ sandbox: port, network }: ConsoleContext): SandboxPort {
  if (port !== undefined) return port;
  throw new PlanchetError('sandbox.other-network', { network });
}
