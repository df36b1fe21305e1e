import { os } from '../base.ts';

export const miners = {
  list: os.miners.list.handler(({ context }) => context.miners.list()),
  add: os.miners.add.handler(({ context, input }) => context.miners.add(input)),
  update: os.miners.update.handler(({ context, input }) => context.miners.update(input)),
  remove: os.miners.remove.handler(({ context, input }) => context.miners.remove(input.id)),
  restore: os.miners.restore.handler(({ context, input }) => context.miners.restore(input.id)),
  reorder: os.miners.reorder.handler(({ context, input }) => context.miners.reorder(input.ids)),
  refresh: os.miners.refresh.handler(({ context, input }) => context.miners.refresh(input.id)),
  test: os.miners.test.handler(({ context, input }) => context.minerTester.test(input)),
  quotes: os.miners.quotes.handler(({ context, input }) => context.minerHistory.quotes(input.id, input.since)),
  hours: os.miners.hours.handler(({ context, input }) => context.minerHistory.hours(input.id, input.since)),
};
