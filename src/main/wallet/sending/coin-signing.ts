import {
  ChainError,
  concatBytes,
  exceededCaps,
  type FeeCaps,
  type FundingUtxo,
  formatOutpoint,
  fromHex,
  keyLockOf,
  ownerKeyHash,
  parseTx,
  pushData,
  serializeTx,
  type Tx,
  toHex,
  type Utxo,
} from '../../../chain/index.ts';
import { type Phrase, PlanchetError, phrase } from '../../../contract/index.ts';
import { sumOf } from '../coins/coin-selection.ts';
import { hasScript } from '../coins/long-scripts.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import { moneyScripts, type WalletKey } from '../keys/wallet-key.ts';
import type { Signer, SignerInput } from './signer.ts';

export interface SigningContext {
  readonly signer: Signer;
  readonly keys: readonly WalletKey[];
  /** What the wallet knows of its coins, which must not contradict what is given. */
  readonly coinStore: CoinStore | undefined;
}

/** @throws PlanchetError `invalid-input` where the bytes are no transaction */
export function readTx(bytes: Uint8Array): Tx {
  try {
    return parseTx(bytes, true);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new PlanchetError('wallet.transaction-malformed', { reason: error.sentence }, { cause: error });
  }
}

/**
 * Signs every input of a transaction, where it spends exactly the given coins of the wallet.
 * @param caps what the transaction may pay: the last line of defence, whatever came before
 * @throws PlanchetError `review-failed` where anything but those coins would be spent | `fee-too-high` | `invalid-input`
 */
export async function signCoins(
  unsigned: Uint8Array,
  spent: readonly FundingUtxo[],
  context: SigningContext,
  caps: FeeCaps,
): Promise<Uint8Array> {
  const tx = readTx(unsigned);
  const coins = exactInputs(tx, spent, context);
  refuseFeeAbove(caps, tx, coins);
  return signAll(tx, coins, context);
}

/** Signs every input with the key that its output belongs to. */
async function signAll(tx: Tx, spent: readonly Utxo[], context: SigningContext): Promise<Uint8Array> {
  const toSign = spent.map((utxo, index) => ({ index, spent: utxo, key: ownerOf(tx, index, utxo, context) }));
  const signatures = await context.signer.sign(tx, toSign);
  const inputs = tx.inputs.map((input, index) => {
    const { key, spent: utxo } = toSign[index] as SignerInput;
    const signature = pushData(signatures[index] as Uint8Array);
    const takesKey = keyLockOf(utxo.lockingScript)?.holdsKey !== true;
    return { ...input, script: takesKey ? concatBytes(signature, pushData(fromHex(key.publicKey))) : signature };
  });
  return serializeTx({ ...tx, inputs });
}

function refuseFeeAbove(caps: FeeCaps, tx: Tx, coins: readonly Utxo[]): void {
  const fee = sumOf(coins) - sumOf(tx.outputs);
  const [exceeded] = exceededCaps(fee, tx, caps);
  if (exceeded === undefined) return;
  throw new PlanchetError('wallet.fee-too-high', { fee, ...exceeded }, { detail: { fee, limit: exceeded.limit } });
}

/**
 * Signs one input that spends an output of the wallet: the signature (DER) with the byte of its hash type.
 * @throws PlanchetError `review-failed` where the input is another one, or its output not the wallet's or not as it knows it | `invalid-input`
 */
export async function signOneInput(
  unsigned: Uint8Array,
  inputIndex: number,
  spent: Utxo,
  context: SigningContext,
): Promise<Uint8Array> {
  const tx = readTx(unsigned);
  const key = ownerOf(tx, inputIndex, spent, context);
  const [signature] = await context.signer.sign(tx, [{ index: inputIndex, spent, key }]);
  return signature as Uint8Array;
}

/** The key that can spend an input's output. @throws PlanchetError `review-failed` */
function ownerOf(tx: Tx, inputIndex: number, spent: Utxo, { keys, coinStore }: SigningContext): WalletKey {
  const refuse = (reason: Phrase): PlanchetError => new PlanchetError('wallet.token-review-failed', { reason });
  const outpoint = formatOutpoint(spent);
  const input = tx.inputs[inputIndex];
  if (!input || formatOutpoint(input) !== outpoint)
    throw refuse(phrase('reason.input-elsewhere', { index: inputIndex, outpoint }));
  const hash = toHex(ownerKeyHash(spent.lockingScript) ?? new Uint8Array(0));
  const key = keys.find(({ pubKeyHash }) => pubKeyHash === hash);
  if (!key) throw refuse(phrase('reason.output-foreign', { outpoint }));
  const known = coinStore?.coins.get(outpoint);
  if (known && (known.satoshis !== spent.satoshis || !hasScript(known, spent.lockingScript)))
    throw refuse(phrase('reason.output-unlike', { outpoint }));
  return key;
}

/**
 * Signs a transaction that moves tokens: its first inputs spend them, its first outputs take their satoshis in the same order, and the
 * other inputs spend exactly the given coins, in their order.
 * @throws PlanchetError `review-failed` where anything else would be spent or a token would not be whole | `fee-too-high`
 */
export async function signTokenMove(
  unsigned: Uint8Array,
  tokens: readonly Utxo[],
  coins: readonly FundingUtxo[],
  context: SigningContext,
  caps: FeeCaps,
): Promise<Uint8Array> {
  const tx = readTx(unsigned);
  if (tokens.some(({ satoshis }, index) => tx.outputs[index]?.satoshis !== satoshis)) {
    throw new PlanchetError('wallet.token-review-failed', { reason: phrase('reason.token-not-whole') });
  }
  const ordered = exactInputs({ ...tx, inputs: tx.inputs.slice(tokens.length) }, coins, context);
  const spent: Utxo[] = [...tokens, ...ordered];
  refuseFeeAbove(caps, tx, spent);
  return signAll(tx, spent, context);
}

function exactInputs(tx: Tx, spent: readonly FundingUtxo[], { keys, coinStore }: SigningContext): FundingUtxo[] {
  const refuse = (reason: Phrase): PlanchetError => new PlanchetError('wallet.mint-review-failed', { reason });
  const given = new Map(spent.map((coin) => [formatOutpoint(coin), coin]));
  if (given.size !== spent.length) throw refuse(phrase('reason.coin-twice'));
  const own = new Set(moneyScripts(keys).map(toHex));
  const coins = tx.inputs.map((input) => {
    const outpoint = formatOutpoint(input);
    const coin = given.get(outpoint);
    if (!coin) throw refuse(phrase('reason.coin-not-chosen', { outpoint }));
    given.delete(outpoint);
    if (!own.has(toHex(coin.lockingScript))) throw refuse(phrase('reason.coin-foreign', { outpoint }));
    const known = coinStore?.coins.get(outpoint);
    if (known && known.satoshis !== coin.satoshis) {
      throw refuse(phrase('reason.coin-amount', { outpoint, held: known.satoshis, given: coin.satoshis }));
    }
    if (known && !hasScript(known, coin.lockingScript)) throw refuse(phrase('reason.coin-no-money', { outpoint }));
    return coin;
  });
  const [unused] = given.keys();
  if (unused !== undefined) throw refuse(phrase('reason.coin-left-out', { outpoint: unused }));
  return coins;
}
