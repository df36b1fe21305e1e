import { equalBytes, hash160, sentence, type TxOutput, type Utxo } from '../../chain/index.ts';
import type { CovenantVersion } from '../covenant/covenant.ts';
import { readTemplate } from '../covenant/read-template.ts';
import { planchetTemplate, TOKEN_LIMITS, type TokenTemplate } from '../covenant/template.ts';
import { AmountError, IssueInfoError, SymbolError, UtxoError } from '../errors.ts';
import {
  readAmount,
  readEntry,
  readOwner,
  readPayment,
  readRate,
  requireSum,
  requireUtxo,
} from '../parameters/checks.ts';
import { requireKey } from '../parameters/keys.ts';
import type {
  AnyKey,
  PaymentParams,
  SigningKey,
  TokenDestination,
  UtxoLike,
  VerifyingKey,
} from '../parameters/params.ts';
import { decodeContract } from '../schema/schema.ts';
import { formsOf } from '../transaction/signing.ts';
import type { Plan, PlannedInput } from '../transaction/transaction.ts';
import { isSymbol } from '../values/symbol.ts';
import { lengthOf, numberOf } from '../values/values.ts';

/** An initial owner and the owner's base units. */
export interface IssueInfo extends TokenDestination {
  /** Bytes, or text as UTF-8, that the token carries permanently. Only tokens with the same data can be merged. */
  readonly data?: Uint8Array | string | null;
}

export interface IssueParams<Key extends AnyKey> extends PaymentParams<Key> {
  readonly issuerKey: Key;
  readonly issueInfo: readonly IssueInfo[];
  /** The contract output. All its satoshis become tokens. */
  readonly contractUtxo: UtxoLike;
  /** False for tokens that can only be moved or redeemed as a unit. */
  readonly isSplittable: boolean;
  /** The symbol of the contract's schema. */
  readonly symbol: string;
  /** Defaults to 2: tokens that can be merged. */
  readonly version?: CovenantVersion | null;
  /** A custom token script; `version` is then ignored. */
  readonly template?: TokenTemplate | null;
}

function plan(params: IssueParams<VerifyingKey>): Plan {
  const issuerKey = requireKey(params.issuerKey, 'issuerKey');
  const redemption = hash160(issuerKey);
  const { utxo, satsPerToken } = readContract(params, redemption);
  const payment = readPayment(params);
  const outputs = tokenOutputs(params, redemption, satsPerToken);
  requireSum(outputs, utxo.satoshis, 'issueInfo');
  const inputs: PlannedInput[] = [{ utxo, key: issuerKey, field: 'contractUtxo' }];
  if (!payment) return { inputs, outputs };
  inputs.push({ ...payment, field: 'paymentUtxo' });
  return { inputs, outputs, changeTo: hash160(payment.key), rate: readRate(params.feeRate) };
}

function readContract(
  { contractUtxo, symbol }: IssueParams<VerifyingKey>,
  redemption: Uint8Array,
): { utxo: Utxo; satsPerToken: number } {
  const utxo = requireUtxo(contractUtxo, 'contractUtxo');
  const fields = decodeContract(utxo.lockingScript);
  if (fields === undefined || !equalBytes(fields.issuer, redemption)) {
    throw new UtxoError(
      'not-a-contract',
      'contractUtxo',
      'contractUtxo is not a contract of this issuer: P2PKH to the key of issuerKey followed by OP_RETURN and a schema.',
      { scriptLength: utxo.lockingScript.length },
    );
  }
  if (!isSymbol(symbol)) {
    throw new SymbolError('symbol-invalid', 'symbol', 'symbol is not 1 to 128 letters, digits, "_" or "-".', {
      length: lengthOf(symbol),
    });
  }
  if (fields.schema.symbol !== symbol) {
    throw new SymbolError(
      'symbol-mismatch',
      'symbol',
      sentence('symbol is "{given}", the contract’s is "{wanted}".', { given: symbol, wanted: fields.schema.symbol }),
    );
  }
  return { utxo, satsPerToken: fields.schema.satsPerToken };
}

function tokenOutputs(params: IssueParams<VerifyingKey>, redemption: Uint8Array, satsPerToken: number): TxOutput[] {
  const { issueInfo, isSplittable, symbol, version } = params;
  if (!Array.isArray(issueInfo) || issueInfo.length === 0)
    throw new IssueInfoError(
      'issue-invalid',
      'issueInfo',
      'issueInfo is not a list of at least one owner and amount.',
      { count: 0 },
    );
  if (typeof isSplittable !== 'boolean')
    throw new IssueInfoError('issue-invalid', 'isSplittable', 'isSplittable is not true or false.');
  if (version !== undefined && version !== null && version !== 1 && version !== 2)
    throw new IssueInfoError('issue-invalid', 'version', 'version is not 1 or 2, the versions of the token script.', {
      version: numberOf(version),
    });
  const given = params.template;
  const template =
    given === undefined || given === null ? planchetTemplate(version ?? 2) : readTemplate(given, 'template');
  return Array.from(issueInfo as readonly IssueInfo[], (info, index) => {
    const field = `issueInfo[${index}]`;
    const { address, satoshis: amount, data } = readEntry(info, field);
    const owner = readOwner(address, redemption, `${field}.address`);
    const satoshis = readAmount(amount, `${field}.satoshis`);
    if (satoshis % satsPerToken !== 0) {
      const message = '{field} is {given}, which is not a whole number of tokens of {satsPerToken} satoshis.';
      throw new AmountError('amount-invalid', `${field}.satoshis`, message, { given: satoshis, satsPerToken });
    }
    const bytes = readData(data, `${field}.data`);
    return {
      satoshis,
      script: template.lock({
        owner,
        redemption,
        splittable: isSplittable,
        symbol,
        ...(bytes === undefined ? {} : { data: bytes }),
      }),
    };
  });
}

function readData(data: Uint8Array | string | null | undefined, field: string): Uint8Array | undefined {
  if (data === undefined || data === null) return undefined;
  const isText = typeof data === 'string' && data.isWellFormed();
  const bytes: unknown = isText ? new TextEncoder().encode(data) : data;
  const most = TOKEN_LIMITS.dataLength;
  if (bytes instanceof Uint8Array && bytes.length > 0 && bytes.length <= most) return bytes;
  throw new IssueInfoError('data-invalid', field, '{field} is not text or bytes, from 1 to {most} of them.', {
    length: lengthOf(bytes),
    most,
  });
}

const forms = formsOf<IssueParams<SigningKey>, IssueParams<VerifyingKey>>(plan);

/**
 * Spends a contract into tokens: one output per entry of `issueInfo`, together holding the contract's satoshis, then change. Each amount is
 * a whole number of tokens. The issuer's own address is refused, because tokens are redeemed to it.
 * @throws TokenError if a parameter is invalid, before anything is signed.
 * @example issue({ issuerKey, issueInfo: [{ address, satoshis: 10_000 }], contractUtxo, isSplittable: true, symbol: 'CAFE' })
 */
export const issue = forms.withKeys;

/** {@link issue}, signed by callbacks. */
export const issueWithCallback = forms.withCallback;

/** {@link issue} without signatures: see `finishTransaction`. */
export const unsignedIssue = forms.unsigned;
