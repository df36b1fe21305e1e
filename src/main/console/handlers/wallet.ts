import { os } from './base.ts';

export const wallet = {
  status: os.wallet.status.handler(({ context }) => context.wallet.status()),
  validateAddress: os.wallet.validateAddress.handler(({ context, input }) =>
    context.wallet.validateAddress(input.address),
  ),
};
