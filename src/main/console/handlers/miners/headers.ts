import { os } from '../base.ts';

export const headers = {
  status: os.headers.status.handler(({ context }) => context.headers.status()),
};
