/** The token transaction library, exported as `planchet/token`. */
export type { Outpoint, Rate, Satoshis, Tx, Utxo } from '../chain/index.ts';
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
export type { ScriptStep } from './covenant/assembler.ts';
export { type Covenant, type CovenantVersion, covenant, MAX_TOKEN_OUTPUTS } from './covenant/covenant.ts';
export {
  planchetTemplate,
  TOKEN_LIMITS,
  type TokenFields,
  type TokenSpend,
  type TokenTemplate,
} from './covenant/template.ts';
export * from './errors.ts';
export { type ContractParams, contract, contractWithCallback, unsignedContract } from './functions/contract.ts';
export { type IssueInfo, type IssueParams, issue, issueWithCallback, unsignedIssue } from './functions/issue.ts';
export { type MergeParams, merge, mergeWithCallback, unsignedMerge } from './functions/merge.ts';
export {
  type MergeSplitParams,
  mergeSplit,
  mergeSplitWithCallback,
  unsignedMergeSplit,
} from './functions/merge-split.ts';
export { type RedeemParams, redeem, redeemWithCallback, unsignedRedeem } from './functions/redeem.ts';
export {
  type RedeemSplitParams,
  redeemSplit,
  redeemSplitWithCallback,
  unsignedRedeemSplit,
} from './functions/redeem-split.ts';
export { type SplitParams, split, splitWithCallback, unsignedSplit } from './functions/split.ts';
export { type TransferParams, transfer, transferWithCallback, unsignedTransfer } from './functions/transfer.ts';
export { broadcastTransaction, fetchTransaction } from './network/broadcast.ts';
export { loadTokenConfig, TOKEN_CONFIG_FILE, type TokenConfig, type TokenConfigSources } from './network/config.ts';
export { type DecodedToken, decodeToken } from './parameters/decode.ts';
export { DEFAULT_FEE_RATE } from './parameters/fees.ts';
export { publicKeyOf } from './parameters/keys.ts';
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
} from './parameters/params.ts';
export { type ContractFields, decodeContract, parseSchema, type TokenSchema, tokenSchema } from './schema/schema.ts';
export type { TraceLimits } from './trace/budget.ts';
export type { FetchTx } from './trace/loader.ts';
export { type TokenTrace, type TraceOptions, traceToken } from './trace/trace.ts';
export type { TokenOrigin, TraceStep } from './trace/visit.ts';
export {
  type BuiltTransaction,
  finishTransaction,
  type SignCallback,
  type SignCallbacks,
  type SigningRequest,
} from './transaction/signing.ts';
export type { SigningInfo, UnsignedTransaction } from './transaction/transaction.ts';
