import { os } from '../base.ts';

export const transactions = {
  get: os.transactions.get.handler(({ context, input }) => context.studio.transaction(input)),
  spenders: os.transactions.spenders.handler(({ context, input }) => context.spenders.of(input)),
  content: os.transactions.content.handler(({ context, input }) => context.studio.inscribed(input)),
};
