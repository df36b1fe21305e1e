import { os } from '../base.ts';

export const quota = {
  get: os.quota.get.handler(({ context }) => context.studio.quota()),
};
