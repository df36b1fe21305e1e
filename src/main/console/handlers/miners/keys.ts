import { PlanchetError } from '../../../../contract/index.ts';
import type { ConsoleContext } from '../../context.ts';
import type { MerchantKeysPort } from '../../merchant-ports.ts';
import { os } from '../base.ts';

export const merchant = {
  keys: os.merchant.keys.handler(({ context }) => required(context).list()),
  acceptKey: os.merchant.acceptKey.handler(({ context, input }) => required(context).accept(input)),
};

function required({ merchantKeys }: ConsoleContext): MerchantKeysPort {
  if (merchantKeys !== undefined) return merchantKeys;
  throw new PlanchetError('console.merchant-missing');
}
