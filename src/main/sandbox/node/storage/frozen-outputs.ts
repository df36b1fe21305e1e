import type { NodeDb } from './tables.ts';

/** `policy` is the list of this node alone, `consensus` that of all miners. */
export type FreezeList = 'policy' | 'consensus';

/** Frozen outputs, as the blacklist manager of miners names them. The mempool refuses transactions that spend one. */
export class FrozenOutputs {
  readonly #db: NodeDb;
  /** By outpoint, `<txid>_<vout>`. */
  readonly #lists: Map<string, FreezeList>;

  static async open(db: NodeDb): Promise<FrozenOutputs> {
    const rows = await db.selectFrom('node_frozen').selectAll().execute();
    return new FrozenOutputs(db, new Map(rows.map(({ outpoint, list }) => [outpoint, list])));
  }

  private constructor(db: NodeDb, lists: Map<string, FreezeList>) {
    this.#db = db;
    this.#lists = lists;
  }

  /** The list that contains an output; undefined if it is not frozen. */
  listOf(outpoint: string): FreezeList | undefined {
    return this.#lists.get(outpoint);
  }

  /** @param list null unfreezes the output */
  async set(outpoint: string, list: FreezeList | null): Promise<void> {
    if (list === null) {
      await this.#db.deleteFrom('node_frozen').where('outpoint', '=', outpoint).execute();
      this.#lists.delete(outpoint);
      return;
    }
    await this.#db.replaceInto('node_frozen').values({ outpoint, list }).execute();
    this.#lists.set(outpoint, list);
  }
}
