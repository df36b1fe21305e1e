/** The headers of the main chain as somebody has them. Nothing that it returns is verified. */
export interface HeaderSource {
  /** The name of the chain: main, test, stn or regtest. */
  chain(): Promise<string>;
  height(): Promise<number>;
  /** Undefined above its tip. */
  hashAt(height: number): Promise<string>;
  /**
   * Headers from a height on.
   * @param below hash of the block below the first one
   * @param last greatest height wanted
   * @returns 80 bytes each; at least one header, not necessarily all
   */
  read(below: string, first: number, last: number): Promise<Uint8Array>;
}
