import {
  equalBytes,
  feeFor,
  formatOutpoint,
  fromHex,
  hash160,
  type Outpoint,
  P2PKH_INPUT_BYTES,
  parseOutpoint,
  parseTx,
  type Rate,
  satoshis,
  serializeTx,
  sha256d,
  sighashPreimage,
  toHex,
  type Utxo,
} from '../../chain/index.ts';
import { PlanchetError, type TokenRequest } from '../../contract/index.ts';
import {
  decodeContract,
  decodeToken,
  type MergeToken,
  planchetTemplate,
  TokenError,
  type TokenSchema,
  type UnsignedTransaction,
  unsignedContract,
  unsignedIssue,
  unsignedMerge,
  unsignedMergeSplit,
  unsignedRedeem,
  unsignedRedeemSplit,
  unsignedSplit,
  unsignedTransfer,
} from '../../token/index.ts';
import type { TokenWallet } from '../ports/wallet.ts';
import type { ChainReader } from './chain-reader.ts';
import { traceThrough } from './genuine.ts';

/** A transaction to be reviewed, with every output it spends in the order of its inputs. */
export interface Draft {
  readonly unsigned: UnsignedTransaction;
  readonly spent: readonly Utxo[];
  readonly symbol: string;
}

export interface BuildContext {
  readonly wallet: TokenWallet;
  readonly chain: ChainReader;
  readonly rate: Rate;
  /** The name under which the coins are held. */
  readonly owner: string;
  /** Owners of the signed transactions that this one replaces. */
  readonly replaces: readonly string[];
}

const SIGHASH = 0x41;
/** The unlocking scripts hold the amount of change and the payment's outpoint, which change their size by a few bytes. */
const SIZE_MARGIN = 24;
/** A fee above all money that exists makes the wallet choose a single coin: the token script allows one payment only. */
const NEVER = satoshis(2_100_000_000_000_000);
/** Stands for the payment while the fee is not known. */
const STAND_IN = { txid: 'ff'.repeat(32), vout: 0xffff, satoshis: satoshis(1_000_000_000_000) } as const;

function contractSchema(request: TokenRequest & { action: 'contract' }, issuerKey: Uint8Array): TokenSchema {
  // drops undefined fields, which must not reach the chain
  return JSON.parse(JSON.stringify({ ...request.schema, tokenId: toHex(hash160(issuerKey)) })) as TokenSchema;
}

/** Satoshis that a contract sets aside. */
export function supplyOf({ schema }: TokenRequest & { action: 'contract' }): number {
  return schema.totalSupply * schema.satsPerToken;
}

export function spentByRequest(request: TokenRequest): Outpoint[] {
  if (request.action === 'contract') return [];
  if (request.action === 'issue') return [parseOutpoint(request.contract)];
  return ('tokens' in request ? request.tokens : [request.token]).map(parseOutpoint);
}

/**
 * Holds what the request spends and builds its transaction, unsigned.
 * @throws PlanchetError `invalid-input`, `funds-insufficient`, `conflict`, `not-found`, `upstream-*`
 */
export async function buildDraft(request: TokenRequest, context: BuildContext): Promise<Draft> {
  try {
    return request.action === 'contract'
      ? await buildContract(request, context)
      : await buildSpend(request, context, spentByRequest(request));
  } catch (error) {
    throw error instanceof TokenError ? asPlanchetError(error) : error;
  }
}

/** Turns an error of the token library into one of the application. */
export function asPlanchetError(error: TokenError): PlanchetError {
  const parent = /^mergeTokens\[(\d)\]\.previousTx$/.exec(error.field);
  if (parent !== null) {
    const { code, numbers } = error;
    const n = Number(parent[1]) + 1;
    return new PlanchetError('token.merge-parent', { n }, { detail: { reason: code, ...numbers }, cause: error });
  }
  return new PlanchetError(
    error.code === 'address-invalid' ? 'token.destination-invalid' : 'token.request-invalid',
    { reason: error.sentence },
    { detail: { reason: error.code, field: error.field, ...error.numbers }, cause: error },
  );
}

/** A contract spends only the wallet's money, so its fee is taken from the change. */
async function buildContract(
  request: TokenRequest & { action: 'contract' },
  { wallet, rate, owner, replaces }: BuildContext,
): Promise<Draft> {
  const issuerKey = fromHex(wallet.publicKey());
  const schema = contractSchema(request, issuerKey);
  const supply = supplyOf(request);
  // the fee is paid from a coin beside it
  if (!Number.isSafeInteger(supply) || supply + 2 > NEVER) {
    throw new PlanchetError('token.supply-too-large', {}, { detail: { field: 'schema.totalSupply' } });
  }
  const build = (inputUtxos: readonly Utxo[]): UnsignedTransaction =>
    unsignedContract({ issuerKey, inputUtxos, schema, tokenSatoshis: supply });
  const one = build([{ ...STAND_IN, satoshis: satoshis(supply + 1), lockingScript: wallet.lockingScript() }]);
  const fee = (inputs: number) => feeFor(one.estimatedSize + (inputs - 1) * P2PKH_INPUT_BYTES + SIZE_MARGIN, rate);
  const spent = await wallet.reserve(owner, satoshis(supply + 2), fee, { replaces, from: 'main' });
  const free = build(spent);
  const exact = feeFor(free.estimatedSize, rate);
  return { unsigned: takeFee(free, spent, exact), spent, symbol: request.schema.symbol };
}

function takeFee(free: UnsignedTransaction, spent: readonly Utxo[], fee: number): UnsignedTransaction {
  const tx = parseTx(fromHex(free.hex));
  const last = tx.outputs.length - 1;
  const paid = {
    ...tx,
    outputs: tx.outputs.map((output, index) =>
      index === last ? { ...output, satoshis: satoshis(output.satoshis - fee) } : output,
    ),
  };
  return {
    ...free,
    hex: toHex(serializeTx(paid)),
    fee,
    signingInfo: free.signingInfo.map((info, index) => {
      const { lockingScript, satoshis: amount } = spent[index] as Utxo;
      return { ...info, digest: toHex(sha256d(sighashPreimage(paid, index, lockingScript, amount, SIGHASH))) };
    }),
  };
}

type Spend = Exclude<TokenRequest, { action: 'contract' }>;

async function buildSpend(request: Spend, context: BuildContext, outpoints: readonly Outpoint[]): Promise<Draft> {
  const { wallet, rate, owner, replaces } = context;
  await wallet.hold(owner, outpoints, { replaces });
  const kept = new Map(wallet.nonFundingOutputs().map(({ utxo }) => [formatOutpoint(utxo), utxo]));
  const own = outpoints.map((outpoint) => {
    const utxo = kept.get(formatOutpoint(outpoint));
    // an ordinary coin of the wallet can be held as well
    if (utxo === undefined) throw new PlanchetError('token.not-a-token', { outpoint: formatOutpoint(outpoint) });
    return utxo;
  });
  const build = await builderOf(request, own, context);
  const estimate = build({ ...STAND_IN, lockingScript: wallet.lockingScript() });
  const fee = feeFor(estimate.estimatedSize + SIZE_MARGIN, rate);
  const [payment] = await wallet
    .reserve(owner, satoshis(2), (inputs) => (inputs === 1 ? fee : NEVER), { replaces, from: 'main' })
    .catch((error: unknown) => {
      throw onePaymentNeeded(error, fee + 2, wallet);
    });
  const script = (own[0] as Utxo).lockingScript;
  const symbol = decodeToken(script)?.symbol ?? decodeContract(script)?.schema.symbol ?? '';
  return { unsigned: build(payment as Utxo), spent: [...own, payment as Utxo], symbol };
}

function onePaymentNeeded(error: unknown, needed: number, wallet: TokenWallet): unknown {
  if (!(error instanceof PlanchetError) || error.code !== 'funds-insufficient') return error;
  if (error.id === 'wallet.funds-held' || error.id === 'wallet.funds-elsewhere') return error;
  return new PlanchetError(
    'token.no-single-coin',
    { needed, address: wallet.address() },
    { detail: { needed, spendable: Number(error.detail?.spendable ?? 0) } },
  );
}

/** The library's function for the request, which still needs the payment. */
async function builderOf(
  request: Spend,
  own: readonly Utxo[],
  { wallet, chain, rate }: BuildContext,
): Promise<(paymentUtxo: Utxo) => UnsignedTransaction> {
  const paymentKey = fromHex(wallet.publicKey());
  const pay = (paymentUtxo: Utxo) => ({ paymentUtxo, paymentKey, feeRate: rate });
  const [first] = own as [Utxo];
  if (request.action === 'issue') {
    const symbol = decodeContract(first.lockingScript)?.schema.symbol ?? '';
    const issueInfo = request.to.map(({ address, satoshis: amount, data }) => ({
      address,
      satoshis: amount,
      ...(data === undefined || data === '' ? {} : { data }),
    }));
    const isSplittable = request.splittable;
    return (utxo) =>
      unsignedIssue({ issuerKey: paymentKey, issueInfo, contractUtxo: first, isSplittable, symbol, ...pay(utxo) });
  }
  const ownerKey = ownerOf(first, wallet);
  const one = { ownerKey, tokenUtxo: first };
  switch (request.action) {
    case 'transfer':
      return (utxo) => unsignedTransfer({ ...one, destination: request.to, ...pay(utxo) });
    case 'split': {
      const maxDestinations = planchetTemplate(2).maxOutputs;
      return (utxo) => unsignedSplit({ ...one, destinations: request.to, maxDestinations, ...pay(utxo) });
    }
    case 'merge':
    case 'mergeSplit': {
      const mergeTokens: MergeToken[] = [];
      for (const utxo of own) mergeTokens.push({ utxo, previousTx: await chain.get(utxo.txid) });
      return request.action === 'merge'
        ? (utxo) => unsignedMerge({ ownerKey, mergeTokens, destination: request.to, ...pay(utxo) })
        : (utxo) => unsignedMergeSplit({ ownerKey, mergeTokens, destinations: request.to, ...pay(utxo) });
    }
    case 'redeemSplit':
    case 'redeem': {
      const contractPublicKey = await issuerKeyOf(first, wallet, chain);
      return request.action === 'redeem'
        ? (utxo) => unsignedRedeem({ ...one, contractPublicKey, ...pay(utxo) })
        : (utxo) => unsignedRedeemSplit({ ...one, contractPublicKey, destinations: request.to, ...pay(utxo) });
    }
  }
}

/** The wallet's key that owns a token: its token key, or the key of the address to which it was sent. */
function ownerOf({ lockingScript }: Utxo, wallet: TokenWallet): Uint8Array {
  const owner = decodeToken(lockingScript)?.owner;
  const key = owner && wallet.publicKeyOf(toHex(owner));
  return fromHex(key ?? wallet.tokenPublicKey());
}

/** The key a token is redeemed to: the wallet's own, or the issuer's, which is found by tracing the token. */
async function issuerKeyOf(token: Utxo, wallet: TokenWallet, chain: ChainReader): Promise<Uint8Array> {
  const own = fromHex(wallet.publicKey());
  const redemption = decodeToken(token.lockingScript)?.redemption;
  if (redemption === undefined || equalBytes(hash160(own), redemption)) return own;
  const { origins } = await traceThrough(chain, token);
  return origins[0]?.issuerKey ?? own;
}
