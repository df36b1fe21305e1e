import { os } from '../base.ts';

export const outputs = {
  list: os.outputs.list.handler(({ context, input }) => context.studio.outputs.list(input.projectUid, input.filter)),
  create: os.outputs.create.handler(({ context, input }) => context.studio.outputs.create(input)),
  update: os.outputs.update.handler(({ context, input }) =>
    context.studio.outputs.update(input.projectUid, input.uid, input.name),
  ),
  remove: os.outputs.remove.handler(({ context, input }) => context.studio.outputs.remove(input.projectUid, input.uid)),
};
