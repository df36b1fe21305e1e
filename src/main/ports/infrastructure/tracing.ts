/** A finished call through the gateway, as traces record it. */
export interface TracedCall {
  /** Name of the client's API key. */
  readonly client: string;
  /** Empty if the call was refused before its method was read. */
  readonly method: string;
  /** Where the answer came from. */
  readonly source: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly reason: string | null;
}
