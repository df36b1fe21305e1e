import { contract, PlanchetError } from '../../../contract/index.ts';
import { handlersOf } from '../handlers-of.ts';
import { os } from './base.ts';

export const imports = {
  ...handlersOf(contract.import, os.import, (context) => context.import),
  open: os.import.open.handler(({ context, input }) => {
    if (context.isPage && input.paths !== undefined) throw new PlanchetError('import.path-from-page');
    return context.import.open(input);
  }),
};
