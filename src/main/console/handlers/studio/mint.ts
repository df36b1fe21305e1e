import { os } from '../base.ts';

export const mint = {
  estimate: os.mint.estimate.handler(({ context, input }) => context.studio.estimateMint(input)),
  create: os.mint.create.handler(({ context, input }) => context.studio.createMint(input)),
  list: os.mint.list.handler(({ context, input }) => context.studio.listMints(input)),
  get: os.mint.get.handler(({ context, input }) => context.studio.getMint(input)),
  approve: os.mint.approve.handler(({ context, input }) => context.studio.approveMint(input)),
  cancel: os.mint.cancel.handler(({ context, input }) => context.studio.cancelMint(input)),
  retry: os.mint.retry.handler(({ context, input }) => context.studio.retryMint(input)),
};
