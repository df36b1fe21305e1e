import type { AskingProgram } from '../approvals.ts';

export interface BroadcastSender {
  readonly program: AskingProgram;
  /** Aborted when it leaves. What was approved before goes out all the same. */
  readonly signal: AbortSignal;
}

/** Takes the transactions that programs send through the node endpoint. */
export interface NodeBroadcast {
  /** Whether the setting `gatewayBroadcast` lets anybody send. */
  isOn(): boolean;
  /**
   * Answers `sendrawtransaction` or `sendrawtransactions` as a node would.
   * @param from the program that sends; left out for the person's own console, which needs no approval
   * @returns the result, or the node's error
   */
  send(
    method: string,
    params: readonly unknown[],
    from?: BroadcastSender,
  ): Promise<{ result: unknown } | { code: number; message: string }>;
}
