import {
  decodeAddress,
  feeFor,
  leastChangeAt,
  MIN_CHANGE,
  type Outpoint,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  p2pkhScript,
  predictSignedSize,
  type Rate,
  satoshis,
  serializeTx,
  type Tx,
} from '../../../chain/index.ts';
import { PlanchetError, type WalletSendRequest } from '../../../contract/index.ts';
import { sumOf } from '../coins/coin-selection.ts';

/** Version, lock time and the longest counts of inputs and outputs that a payment can have. */
export const FRAME_BYTES = 4 + 4 + 3 + 3;
const FINAL_SEQUENCE = 0xffffffff;

/** The tokens that are moved whole, each to the receiver at its place. */
export function tokensOf({ token, tokens }: WalletSendRequest): readonly string[] {
  return token === undefined ? (tokens ?? []) : [token];
}

/** Satoshis of the tokens that are moved. */
export function tokenTotal(request: WalletSendRequest): number {
  return namedTotal({ to: request.to.slice(0, tokensOf(request).length) });
}

/**
 * Refuses one satoshi for a receiver of coins, and a token for anything but a receiver of its own.
 * @throws PlanchetError `invalid-input`
 */
export function checkTokenRequest(request: WalletSendRequest): void {
  const { token, tokens, to, coins } = request;
  const count = tokensOf(request).length;
  const whole = to.slice(0, count).every(({ satoshis: value }) => value !== 'all');
  const money = to.slice(count).every(({ satoshis: value }) => value !== 1);
  const alone = token === undefined || (tokens === undefined && to.length === 1 && coins === undefined);
  if (to.length < count || !whole || !money || !alone) throw new PlanchetError('wallet.send-one-satoshi');
}

/** Satoshis that the receivers with named amounts get. */
export function namedTotal({ to }: Pick<WalletSendRequest, 'to'>): number {
  return to.reduce((sum, { satoshis: value }) => sum + (value === 'all' ? 0 : value), 0);
}

/** Whether the last receiver takes all that is left. @throws PlanchetError `invalid-input` where another one would */
export function takesAll({ to }: WalletSendRequest): boolean {
  if (to.slice(0, -1).some((one) => one.satoshis === 'all')) throw new PlanchetError('wallet.send-all-not-last');
  return to.at(-1)?.satoshis === 'all';
}

/** The fee of a payment by its number of inputs, with one output of change. @param longer see {@link buildPayment} */
export function paymentFee(
  request: WalletSendRequest,
  rate: Rate,
  longer = 0,
): (inputs: number) => ReturnType<typeof feeFor> {
  const outputs = (request.to.length + 1) * P2PKH_OUTPUT_BYTES;
  const tokens = tokensOf(request).length;
  return (inputs) => feeFor(FRAME_BYTES + outputs + (tokens + inputs) * (P2PKH_INPUT_BYTES + longer), rate);
}

/**
 * The unsigned payment; tokens come first among the coins, so that their satoshis go to the first receivers. What is left goes to the
 * change script where that is worth an output, and to the miner where it is dust.
 * @param longer bytes by which each input exceeds that of a compressed public key
 * @throws PlanchetError `funds-insufficient` where the coins are too little
 */
export function buildPayment(
  request: WalletSendRequest,
  coins: readonly (Outpoint & { readonly satoshis: number })[],
  changeScript: Uint8Array,
  rate: Rate,
  longer = 0,
): Uint8Array {
  const all = takesAll(request);
  const scripts = request.to.map(({ address }) => p2pkhScript(decodeAddress(address).pubKeyHash));
  const make = (last: number, change: number): Tx => ({
    version: 1,
    inputs: coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: FINAL_SEQUENCE })),
    outputs: [
      ...request.to.map(({ satoshis: value }, index) => ({
        satoshis: satoshis(value === 'all' ? last : value),
        script: scripts[index] as Uint8Array,
      })),
      ...(change > 0 ? [{ satoshis: satoshis(change), script: changeScript }] : []),
    ],
    lockTime: 0,
  });
  const feeOf = (tx: Tx): number => feeFor(predictSignedSize(tx) + tx.inputs.length * longer, rate);
  const rest = sumOf(coins) - namedTotal(request);
  if (all) {
    const last = rest - feeOf(make(2, 0));
    if (last < MIN_CHANGE) throw new PlanchetError('wallet.send-nothing');
    return serializeTx(make(last, 0));
  }
  const least = feeOf(make(2, 0));
  if (rest < least) throw new PlanchetError('wallet.send-nothing');
  if (rest - least <= leastChangeAt(rate)) return serializeTx(make(2, 0));
  return serializeTx(make(2, rest - feeOf(make(2, MIN_CHANGE))));
}
