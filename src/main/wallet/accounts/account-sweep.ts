import { formatOutpoint } from '../../../chain/index.ts';
import type { Contract, Serves, WalletSendRequest, WalletSweep } from '../../../contract/index.ts';
import { candidatesOf } from '../coins/spendable.ts';
import type { Payments } from '../sending/payments.ts';
import { freeTokens, leftBy, planSweep } from '../sending/sweep.ts';
import type { Wallet } from '../wallet.ts';

export type SweepInput = Parameters<Serves<Contract['wallet']['sweep']>>[0];

/**
 * Prepares a payment of everything in an account that was searched.
 * @param address who gets it
 * @throws PlanchetError `funds-insufficient`, `conflict` for a watched account
 */
export async function prepareSweep(
  { wallet, payments }: { readonly wallet: Wallet; readonly payments: Payments },
  address: string,
  { feeRate, idempotencyKey }: SweepInput,
): Promise<WalletSweep> {
  const { coinStore } = wallet.open();
  const known = await payments.prepared(idempotencyKey);
  // This sweep takes the outputs of a refused one along.
  const replaced = known ? undefined : await payments.replacedBy([{ address, satoshis: 'all' }]);
  const sweep = {
    ...freeTokens(coinStore, replaced),
    key: wallet.keys.key,
    coins: candidatesOf(coinStore, '', 'all', replaced).map(({ coin }) => coin),
    ...(await payments.price(feeRate)),
  };
  if (known) return { send: known, left: leftBy(sweep) };
  const requests = planSweep({ ...sweep, address, feeRate });
  const left = leftBy(sweep, requests);
  const [request, ...rest] = requests as [WalletSendRequest];
  const coins = new Set(sweep.coins.map(formatOutpoint));
  const money = (why: 'dust' | 'too-many') =>
    left.filter(({ outpoint, reason }) => reason === why && coins.has(outpoint));
  const more = { rest, dust: money('dust'), later: money('too-many') };
  const send = await payments.prepare({ request, idempotencyKey }, more);
  return { send, left };
}
