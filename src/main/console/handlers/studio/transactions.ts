import { os } from '../base.ts';

export const transactions = {
  get: os.transactions.get.handler(({ context, input }) => context.studio.transaction(input)),
  content: os.transactions.content.handler(({ context, input }) => context.studio.inscribed(input)),
};
