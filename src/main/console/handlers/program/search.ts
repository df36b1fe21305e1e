import { os } from '../base.ts';

export const search = {
  find: os.search.find.handler(({ context, input, signal }) => context.search.find(input, signal)),
  names: os.search.names.handler(({ context, input }) => context.search.names(input.ids)),
};
