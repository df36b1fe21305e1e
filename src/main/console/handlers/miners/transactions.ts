import { os } from '../base.ts';

export const tx = {
  callbacks: os.tx.callbacks.handler(({ context, signal }) => context.callbacks.watch(signal)),
  list: os.tx.list.handler(({ context, input }) => context.transactions.list(input)),
  get: os.tx.get.handler(({ context, input }) => context.transactions.detail(input.txid)),
  label: os.tx.label.handler(({ context, input }) => context.transactions.label(input.txid, input.label)),
};
