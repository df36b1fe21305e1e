/** Takes the transactions that programs send through the node endpoint. */
export interface NodeBroadcast {
  /** The setting `gatewayBroadcast`. */
  isOn(): boolean;
  /**
   * Answers `sendrawtransaction` or `sendrawtransactions` as a node would.
   * @returns the result, or the node's error
   */
  send(method: string, params: readonly unknown[]): Promise<{ result: unknown } | { code: number; message: string }>;
}
