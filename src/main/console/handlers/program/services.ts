import { os } from '../base.ts';

export const services = {
  list: os.services.list.handler(({ context }) => context.services.statuses()),
  restart: os.services.restart.handler(({ context, input }) => context.services.restart(input.name)),
};
