import { os } from '../base.ts';

export const items = {
  list: os.items.list.handler(({ context, input }) => context.studio.listItems(input)),
  create: os.items.create.handler(({ context, input }) => context.studio.createItem(input)),
  update: os.items.update.handler(({ context, input }) => context.studio.updateItem(input)),
  updateMany: os.items.updateMany.handler(({ context, input }) => context.studio.updateItems(input)),
  reorder: os.items.reorder.handler(({ context, input }) => context.studio.reorderItems(input)),
  remove: os.items.remove.handler(({ context, input }) => context.studio.removeItem(input)),
  restore: os.items.restore.handler(({ context, input }) => context.studio.restoreItems(input)),
};
