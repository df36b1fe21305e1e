/** The headers of the main chain as somebody has them. Nothing that it returns is verified. */
export interface HeaderSource {
  /** As messages name it. */
  readonly name: string;
  /** Two sources of one operator count as one. Left out for a node of one's own, which needs no second opinion. */
  readonly operator?: string;
  /** Has many headers at once, and not the newest: asked only where many are lacking. */
  readonly isArchive?: boolean;
  /** The name of the chain: main, test, stn or regtest. Left out where it names none: then its headers must be those of the chain that others name. */
  chain?(): Promise<string>;
  height(): Promise<number>;
  /** Undefined above its tip. */
  hashAt(height: number): Promise<string>;
  /** The height of any block of its main chain; undefined where it knows of none. Left out where it cannot tell. */
  heightOf?(hash: string): Promise<number | undefined>;
  /**
   * Headers from a height on.
   * @param below hash of the block below the first one, where it is known
   * @param last greatest height wanted
   * @returns 80 bytes each; at least one header, not necessarily all
   */
  read(below: string | undefined, first: number, last: number): Promise<Uint8Array>;
}
