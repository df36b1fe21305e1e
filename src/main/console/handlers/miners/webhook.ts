import { os } from '../base.ts';

export const webhook = {
  status: os.webhook.status.handler(({ context }) => context.webhook.status()),
  setSecret: os.webhook.setSecret.handler(({ context, input }) => context.webhook.setSecret(input)),
};
