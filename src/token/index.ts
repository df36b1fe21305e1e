/** The token-transaction library, on its own: `import { … } from 'planchet/token'`. */
export type { Outpoint, Rate, Satoshis, Tx, Utxo } from '../chain/index.ts';
export type { ScriptStep } from './assembler.ts';
export { broadcastTransaction, fetchTransaction } from './broadcast.ts';
export {
  encodeAddress,
  fromHex,
  hash160,
  p2pkhScript,
  parseTx,
  satoshis,
  serializeTx,
  toHex,
  txidOf,
} from './chain-functions.ts';
export { loadTokenConfig, TOKEN_CONFIG_FILE, type TokenConfig, type TokenConfigSources } from './config.ts';
export { type ContractParams, contract, contractWithCallback, unsignedContract } from './contract.ts';
export { type Covenant, type CovenantVersion, covenant, MAX_TOKEN_OUTPUTS } from './covenant.ts';
export { type DecodedToken, decodeToken } from './decode.ts';
export * from './errors.ts';
export { DEFAULT_FEE_RATE } from './fees.ts';
export { type IssueInfo, type IssueParams, issue, issueWithCallback, unsignedIssue } from './issue.ts';
export { publicKeyOf } from './keys.ts';
export { type MergeParams, merge, mergeWithCallback, unsignedMerge } from './merge.ts';
export { type MergeSplitParams, mergeSplit, mergeSplitWithCallback, unsignedMergeSplit } from './merge-split.ts';
export type {
  MergeToken,
  OwnerParams,
  PaymentParams,
  PublicKeyBytes,
  ScriptLike,
  SigningKey,
  TokenDestination,
  UtxoLike,
  VerifyingKey,
} from './params.ts';
export { type RedeemParams, redeem, redeemWithCallback, unsignedRedeem } from './redeem.ts';
export { type RedeemSplitParams, redeemSplit, redeemSplitWithCallback, unsignedRedeemSplit } from './redeem-split.ts';
export { type ContractFields, decodeContract, parseSchema, type TokenSchema, tokenSchema } from './schema.ts';
export {
  type BuiltTransaction,
  finishTransaction,
  type SignCallback,
  type SignCallbacks,
  type SigningRequest,
} from './signing.ts';
export { type SplitParams, split, splitWithCallback, unsignedSplit } from './split.ts';
export { planchetTemplate, TOKEN_LIMITS, type TokenFields, type TokenSpend, type TokenTemplate } from './template.ts';
export type { TraceLimits } from './trace/budget.ts';
export type { FetchTx } from './trace/loader.ts';
export { type TokenTrace, type TraceOptions, traceToken } from './trace/trace.ts';
export type { TokenOrigin, TraceStep } from './trace/visit.ts';
export type { SigningInfo, UnsignedTransaction } from './transaction.ts';
export { type TransferParams, transfer, transferWithCallback, unsignedTransfer } from './transfer.ts';
