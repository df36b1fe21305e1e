import { os } from '../base.ts';

export const settings = {
  list: os.settings.list.handler(({ context }) => context.settings.entries()),
  set: os.settings.set.handler(async ({ context, input }) => {
    const entry = await context.settings.set(input.key, input.value);
    return { entry, restarts: entry.restarts };
  }),
};
