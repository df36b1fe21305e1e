import type { ApprovalKind, DecodedTransaction } from '../../contract/index.ts';

export interface AskingProgram {
  /** Tells programs apart; a permission is remembered for it. */
  readonly id: string;
  /** As a person knows it. */
  readonly name: string;
  /** False once its credential was revoked. */
  stillValid?(): boolean;
}

export interface ApprovalRequest {
  readonly kind: ApprovalKind;
  readonly program: AskingProgram;
  readonly method: string;
  /** Satoshis. */
  readonly amount: number;
  /** The fee of a transaction is not known and no part of the amount: the person is asked, whatever is remembered. */
  readonly feeUnknown?: boolean;
  /** The first of them, decoded. */
  readonly transactions: readonly DecodedTransaction[];
  readonly transactionCount: number;
  /** Of a budget: the cap that is used up, in satoshis. */
  readonly cap?: number;
  /** Aborted when the program has left. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks the person at this machine. */
export interface Approvals {
  /**
   * Resolves once the person, or a permission that the person gave before, has approved it.
   * @throws PlanchetError in any other case: denied, too late, withdrawn, locked, asked too often
   */
  ask(request: ApprovalRequest): Promise<void>;
}
