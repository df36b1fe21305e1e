import { isHashHex, NODE_BYTES, type Outpoint, txidOf } from '../../../chain/index.ts';
import { phrase, type Reason } from '../../../contract/index.ts';
import type { MempoolFigures } from '../../ports/chain-data.ts';
import type { ProofInput } from '../../ports/headers.ts';
import type { SourceAnswer } from './http/source-client.ts';

/** A transaction of a whole block is no answer to a wallet; nobody's policy takes a larger one. */
export const TRANSACTION = { kind: 'binary', limitBytes: 64_000_000, deadlineMs: 120_000 } as const;

/** What touches addresses, as a public service tells of it. */
export interface HistorySource {
  readonly name: string;
  /** Who runs it. */
  readonly operator: string;
  /** Whether it tells of more than payments to addresses, and says nothing by what it leaves out. */
  readonly findsOnly?: boolean;
  /** What pays addresses or spends from them, one for each address; `unavailable` where nothing is told of any. */
  history(addresses: readonly string[], signal?: AbortSignal): Promise<SourceAnswer<readonly AddressHistory[]>>;
}

/** Transactions, proofs and spends as a public service tells of them. Every question has the five answers. */
export interface TransactionSource extends HistorySource {
  /** The bytes whose hash the id is. */
  transaction(txid: string, signal?: AbortSignal): Promise<SourceAnswer<Uint8Array>>;
  /** The bytes of many, by id, unchecked; those that it does not know are left out. Left out where it takes no list. */
  transactions?(txids: readonly string[], signal?: AbortSignal): Promise<SourceAnswer<ReadonlyMap<string, Uint8Array>>>;
  /** What shows that a block holds a transaction, as the service says it; `unknown` while no block does. */
  proof(txid: string, signal?: AbortSignal): Promise<SourceAnswer<ProofInput>>;
  /** The id of the first transaction of a block, as the service says it; left out by services that do not list blocks. */
  coinbase?(hash: string, signal?: AbortSignal): Promise<SourceAnswer<string>>;
  /** The ids of a block's transactions in order, as the service says it; left out by services that do not list blocks. */
  blockIds?(hash: string, signal?: AbortSignal): Promise<SourceAnswer<readonly string[]>>;
  /**
   * Those of outputs that it says are spent; it does not tell unspent ones from those that it does not know. Left out where it takes no list.
   */
  spent?(outpoints: readonly Outpoint[], signal?: AbortSignal): Promise<SourceAnswer<readonly Outpoint[]>>;
  /** What its node has in the mempool; left out by services that do not tell of it. */
  mempool?(signal?: AbortSignal): Promise<SourceAnswer<MempoolFigures>>;
  mempoolIds?(signal?: AbortSignal): Promise<SourceAnswer<readonly string[]>>;
  /** The id of what spends an output, as the service says it; `absent` where it says that nothing does. */
  spender(outpoint: Outpoint, signal?: AbortSignal): Promise<SourceAnswer<string>>;
}

/** What a service tells of one address. */
export interface AddressHistory {
  readonly address: string;
  readonly rows: readonly HistoryRow[];
  /** Why rows may be missing; left out where these are all. */
  readonly cut?: Reason;
}

export interface HistoryRow {
  readonly address: string;
  readonly txid: string;
  /** Null while no block holds it. */
  readonly height: number | null;
}

/** Other bytes than were asked for are invalid, whatever they are, and so are those that may be a node of a Merkle tree. */
export function ofId(answer: SourceAnswer<Uint8Array>, txid: string): SourceAnswer<Uint8Array> {
  if (answer.state !== 'present') return answer;
  if (answer.value.length === NODE_BYTES) return { state: 'invalid', reason: phrase('reason.tree-node', { txid }) };
  if (txidOf(answer.value) === txid) return answer;
  return { state: 'invalid', reason: phrase('reason.other-bytes', { txid }) };
}

/** The id in an answer; anything else is no evidence. */
export function idIn(answer: SourceAnswer<unknown>, read: (value: unknown) => unknown): SourceAnswer<string> {
  if (answer.state !== 'present') return answer;
  const txid = read(answer.value);
  if (isHashHex(txid)) return { ...answer, value: txid };
  return { state: 'unavailable', reason: phrase('reason.other-shape'), status: answer.status };
}
