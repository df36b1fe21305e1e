import type { PrivateKey } from '@bsv/sdk';
import { equalBytes, hash160, type TxOutput, type Utxo } from '../chain/index.ts';
import { readAddress, readAmount, readPayment, requireKey, requireSum, requireUtxo } from './checks.ts';
import type { CovenantVersion } from './covenant.ts';
import { IssueInfoError, SymbolError, UtxoError } from './errors.ts';
import { DEFAULT_FEE_RATE } from './fees.ts';
import type { AnyKey, PaymentParams, PublicKeyBytes, TokenDestination } from './params.ts';
import { decodeContract } from './schema.ts';
import { formsOf } from './signing.ts';
import { isSymbol } from './symbol.ts';
import { planchetTemplate, type TokenTemplate } from './template.ts';
import type { Plan, PlannedInput } from './transaction.ts';

/** A first owner and the base units this owner gets. */
export interface IssueInfo extends TokenDestination {
  /** Bytes, or text as UTF-8, that the token carries from here on. Only tokens with the same data can be merged. */
  readonly data?: Uint8Array | string;
}

export interface IssueParams<Key extends AnyKey> extends PaymentParams<Key> {
  readonly issuerKey: Key;
  readonly issueInfo: readonly IssueInfo[];
  /** The contract output. All its satoshis become tokens. */
  readonly contractUtxo: Utxo;
  /** False for tokens that can only be moved or redeemed whole. */
  readonly isSplittable: boolean;
  /** The symbol of the contract's schema. */
  readonly symbol: string;
  /** 2 where absent: tokens that can be merged. */
  readonly version?: CovenantVersion;
  /** Another token script than this project's; `version` then means nothing. */
  readonly template?: TokenTemplate;
}

function plan(params: IssueParams<PublicKeyBytes>): Plan {
  const issuerKey = requireKey(params.issuerKey, 'issuerKey');
  const redemption = hash160(issuerKey);
  const utxo = readContract(params, redemption);
  const payment = readPayment(params);
  const outputs = tokenOutputs(params, redemption);
  requireSum(
    outputs.reduce((sum, { satoshis }) => sum + satoshis, 0),
    utxo.satoshis,
    'issueInfo',
  );
  const inputs: PlannedInput[] = [{ utxo, key: issuerKey, field: 'contractUtxo' }];
  if (!payment) return { inputs, outputs };
  inputs.push({ ...payment, field: 'paymentUtxo' });
  return { inputs, outputs, changeTo: hash160(payment.key), rate: params.feeRate ?? DEFAULT_FEE_RATE };
}

function readContract({ contractUtxo, symbol }: IssueParams<PublicKeyBytes>, redemption: Uint8Array): Utxo {
  const utxo = requireUtxo(contractUtxo, 'contractUtxo');
  const fields = decodeContract(utxo.lockingScript);
  if (fields === undefined || !equalBytes(fields.issuer, redemption)) {
    throw new UtxoError(
      'not-a-contract',
      'contractUtxo',
      'The contract utxo is no contract of this issuer: P2PKH to the issuer’s key followed by OP_RETURN and a schema.',
      { scriptLength: utxo.lockingScript.length },
    );
  }
  if (!isSymbol(symbol)) {
    throw new SymbolError('symbol-invalid', 'symbol', 'A symbol has 1 to 128 letters, digits, "_" or "-".', {
      length: String(symbol).length,
    });
  }
  if (fields.schema.symbol !== symbol) {
    throw new SymbolError(
      'symbol-mismatch',
      'symbol',
      `The symbol "${symbol}" is not the contract’s, "${fields.schema.symbol}".`,
    );
  }
  return utxo;
}

function tokenOutputs(params: IssueParams<PublicKeyBytes>, redemption: Uint8Array): TxOutput[] {
  const { issueInfo, isSplittable, symbol, version } = params;
  if (!Array.isArray(issueInfo) || issueInfo.length === 0)
    throw new IssueInfoError('issue-invalid', 'issueInfo', 'There is nobody to issue tokens to.', { count: 0 });
  if (typeof isSplittable !== 'boolean')
    throw new IssueInfoError('issue-invalid', 'isSplittable', 'Whether the token is splittable is true or false.');
  if (version !== undefined && version !== 1 && version !== 2)
    throw new IssueInfoError('issue-invalid', 'version', 'There are versions 1 and 2 of the token script.', {
      version,
    });
  const template = params.template ?? planchetTemplate(version ?? 2);
  return (issueInfo as readonly IssueInfo[]).map(({ address, satoshis, data }, index) => {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    const owner = readAddress(address, `issueInfo[${index}].address`);
    return {
      satoshis: readAmount(satoshis, `issueInfo[${index}].satoshis`),
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

const forms = formsOf<IssueParams<PrivateKey>, IssueParams<PublicKeyBytes>>(plan);

/**
 * Spends a contract into tokens: one output for each entry of `issueInfo`, which together hold the contract's satoshis, then change.
 * The tokens are redeemed to the issuer's key.
 * @throws TokenError for whatever is wrong with the parameters, before anything is signed.
 * @example issue({ issuerKey, issueInfo: [{ address, satoshis: 10_000 }], contractUtxo, isSplittable: true, symbol: 'CAFE' })
 */
export const issue = forms.withKeys;

/** {@link issue} with the signatures made by callbacks. */
export const issueWithCallback = forms.withCallback;

/** {@link issue} for others to sign: see `finishTransaction`. */
export const unsignedIssue = forms.unsigned;
