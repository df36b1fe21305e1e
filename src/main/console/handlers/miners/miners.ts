import { os } from '../base.ts';

export const miners = {
  list: os.miners.list.handler(({ context }) => context.miners.list()),
};
