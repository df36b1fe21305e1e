import { os } from './base.ts';

export const tokens = {
  list: os.tokens.list.handler(({ context, input }) => context.studio.tokens(input.limit)),
  bundle: os.tokens.bundle.handler(({ context, input }) => context.studio.bundle(input)),
};
