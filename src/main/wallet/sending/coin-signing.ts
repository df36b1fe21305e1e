import {
  ChainError,
  concatBytes,
  equalBytes,
  type FundingUtxo,
  formatOutpoint,
  fromHex,
  highestFee,
  leadingP2pkh,
  parseTx,
  pushData,
  serializeTx,
  sha256,
  sighashPreimage,
  signP2pkhInputs,
  type Tx,
  toHex,
  type Utxo,
} from '../../../chain/index.ts';
import { PlanchetError, type Settings } from '../../../contract/index.ts';
import type { CoinBook } from '../coins/coin-book.ts';
import type { WalletKey } from '../keys/wallet-key.ts';

type FeeCaps = Pick<Settings, 'maxFeeSatoshis' | 'maxFeeRate'>;

/** ALL with the fork id: the only hash type the wallet signs with. */
const SIGHASH = 0x41;

/** @throws PlanchetError `invalid-input` where the bytes are no transaction */
export function readTx(bytes: Uint8Array): Tx {
  try {
    return parseTx(bytes);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new PlanchetError('wallet.transaction-malformed', { reason: error.message }, { cause: error });
  }
}

/**
 * Signs every input of a transaction, where it spends exactly the given coins of the wallet.
 * @param book what the wallet knows of its coins, which must not contradict what is given
 * @param caps what the transaction may pay: the last line of defence, whatever came before
 * @throws PlanchetError `review-failed` where anything but those coins would be spent | `fee-too-high` | `invalid-input`
 */
export function signCoins(
  unsigned: Uint8Array,
  spent: readonly FundingUtxo[],
  keys: readonly WalletKey[],
  book: CoinBook | undefined,
  caps: FeeCaps,
): Uint8Array {
  const tx = readTx(unsigned);
  const coins = exactInputs(tx, spent, keys, book);
  refuseFeeAbove(caps, tx, coins);
  const scripts = new Set(coins.map(({ lockingScript }) => toHex(lockingScript)));
  const signers = keys.filter(({ lockingScript }) => scripts.has(toHex(lockingScript)));
  return serializeTx(signers.reduce((signed, { privateKey }) => signP2pkhInputs(signed, coins, privateKey), tx));
}

function refuseFeeAbove({ maxFeeSatoshis, maxFeeRate }: FeeCaps, tx: Tx, coins: readonly Utxo[]): void {
  const sum = (values: readonly { satoshis: number }[]): number =>
    values.reduce((all, { satoshis }) => all + satoshis, 0);
  const fee = sum(coins) - sum(tx.outputs);
  const byRate = highestFee(tx, maxFeeRate);
  const refuse = (limit: number, setting: string): PlanchetError =>
    new PlanchetError('wallet.fee-too-high', { fee, limit, setting }, { detail: { fee, limit } });
  if (fee > maxFeeSatoshis) throw refuse(maxFeeSatoshis, 'maxFeeSatoshis');
  if (fee > byRate) throw refuse(byRate, 'maxFeeRate');
}

/**
 * Signs one input that spends an output of the wallet: the signature (DER) with the byte of its hash type.
 * @throws PlanchetError `review-failed` where the input is another one, or its output not the wallet's or not as it knows it | `invalid-input`
 */
export function signOneInput(
  unsigned: Uint8Array,
  inputIndex: number,
  spent: Utxo,
  keys: readonly WalletKey[],
  book: CoinBook | undefined,
): Uint8Array {
  const refuse = (message: string): PlanchetError =>
    new PlanchetError('wallet.token-review-failed', { reason: message });
  const tx = readTx(unsigned);
  const outpoint = formatOutpoint(spent);
  const input = tx.inputs[inputIndex];
  if (!input || formatOutpoint(input) !== outpoint) throw refuse(`input ${inputIndex} does not spend ${outpoint}.`);
  const hash = toHex(leadingP2pkh(spent.lockingScript) ?? new Uint8Array(0));
  const key = keys.find(({ pubKeyHash }) => pubKeyHash === hash);
  if (!key) throw refuse(`${outpoint} is not an output of this wallet.`);
  const known = book?.coins.get(outpoint);
  if (known && (known.satoshis !== spent.satoshis || !equalBytes(known.lockingScript, spent.lockingScript)))
    throw refuse(`${outpoint} is not what the wallet knows of it.`);
  const preimage = sighashPreimage(tx, inputIndex, spent.lockingScript, spent.satoshis, SIGHASH);
  // the SDK hashes once more, which completes the double SHA-256
  const der = key.privateKey.sign(Array.from(sha256(preimage))).toDER() as number[];
  return Uint8Array.of(...der, SIGHASH);
}

/**
 * Signs a transaction that moves a token: its first input spends the token, its first output takes the one satoshi, and the other inputs
 * spend exactly the given coins, in their order.
 * @throws PlanchetError `review-failed` where anything else would be spent or the token would not be whole | `fee-too-high`
 */
export function signTokenMove(
  unsigned: Uint8Array,
  token: Utxo,
  coins: readonly FundingUtxo[],
  keys: readonly WalletKey[],
  book: CoinBook | undefined,
  caps: FeeCaps,
): Uint8Array {
  const tx = readTx(unsigned);
  if (token.satoshis !== 1 || tx.outputs[0]?.satoshis !== 1) {
    throw new PlanchetError('wallet.token-review-failed', { reason: 'the token would not be moved whole.' });
  }
  const ordered = exactInputs({ ...tx, inputs: tx.inputs.slice(1) }, coins, keys, book);
  const spent: Utxo[] = [token, ...ordered];
  refuseFeeAbove(caps, tx, spent);
  const inputs = tx.inputs.map((input, index) => {
    const utxo = spent[index] as Utxo;
    const signature = signOneInput(unsigned, index, utxo, keys, book);
    const hash = toHex(leadingP2pkh(utxo.lockingScript) ?? new Uint8Array(0));
    const key = keys.find(({ pubKeyHash }) => pubKeyHash === hash) as WalletKey;
    const publicKey = fromHex(key.privateKey.toPublicKey().toString());
    return { ...input, script: concatBytes(pushData(signature), pushData(publicKey)) };
  });
  return serializeTx({ ...tx, inputs });
}

function exactInputs(
  tx: Tx,
  spent: readonly FundingUtxo[],
  keys: readonly WalletKey[],
  book: CoinBook | undefined,
): FundingUtxo[] {
  const refuse = (message: string): PlanchetError =>
    new PlanchetError('wallet.mint-review-failed', { reason: message });
  const given = new Map(spent.map((coin) => [formatOutpoint(coin), coin]));
  if (given.size !== spent.length) throw refuse('a coin was given twice.');
  const own = new Set(
    keys.filter(({ purpose }) => purpose === 'money').map(({ lockingScript }) => toHex(lockingScript)),
  );
  const coins = tx.inputs.map((input) => {
    const outpoint = formatOutpoint(input);
    const coin = given.get(outpoint);
    if (!coin) throw refuse(`the transaction spends ${outpoint}, which was not chosen for it, or spends it twice.`);
    given.delete(outpoint);
    if (!own.has(toHex(coin.lockingScript))) throw refuse(`${outpoint} is not a coin of this wallet.`);
    const known = book?.coins.get(outpoint);
    if (known && known.satoshis !== coin.satoshis) {
      throw refuse(`${outpoint} holds ${known.satoshis} satoshis, not ${coin.satoshis}.`);
    }
    return coin;
  });
  const [unused] = given.keys();
  if (unused !== undefined) throw refuse(`the transaction does not spend ${unused}, which was chosen for it.`);
  return coins;
}
