import { os } from '../base.ts';

export const approvals = {
  list: os.approvals.list.handler(({ context }) => context.approvals.list()),
  approve: os.approvals.approve.handler(({ context, input }) => context.approvals.approve(input)),
  deny: os.approvals.deny.handler(({ context, input }) => context.approvals.deny(input.id)),
  revoke: os.approvals.revoke.handler(({ context, input }) => context.approvals.revoke(input.id)),
};
