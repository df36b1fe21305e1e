import type { Logger } from 'pino';
import { fromHex, headerHash, meetsTarget, parseHeader } from '../../../../chain/index.ts';
import type { Network, Tip } from '../../../../contract/index.ts';
import type { NodeRpc, TipSource } from '../../../ports/node.ts';
import type { Store } from '../../../ports/store.ts';
import type { StudioTables } from '../../tables.ts';

/** Headers read back from a new tip, where none of them is stored: a day of blocks. */
const LONGEST_WALK = 144;
const HEADER_HEX = /^[0-9a-f]{160}$/;

export interface HeaderBookOptions {
  readonly network: Network;
  readonly store: Store<StudioTables>;
  readonly node: NodeRpc;
  readonly tip: TipSource;
  readonly logger: Logger;
}

interface StoredHeader {
  readonly hash: string;
  readonly height: number;
  /** 80 bytes. */
  readonly header: Uint8Array;
}

export type HeaderBook = ReturnType<typeof createHeaderBook>;

/** Stores the headers of the chain that the host follows, so that a proof can be held against them without a network. */
export function createHeaderBook({ network, store, node, tip, logger }: HeaderBookOptions) {
  let stopListening: (() => void) | undefined;
  let wanted: Tip | null = null;
  let working: Promise<void> | undefined;

  async function isStored(hash: string): Promise<boolean> {
    const row = await store.db.selectFrom('studio_headers').select('hash').where('hash', '=', hash).executeTakeFirst();
    return row !== undefined;
  }

  /** From the tip down to a header that is stored, the tip first. */
  async function walk({ hash, height }: Tip): Promise<StoredHeader[]> {
    const found: StoredHeader[] = [];
    for (let at = hash; found.length < LONGEST_WALK && found.length <= height && !(await isStored(at)); ) {
      const raw = await node.call<unknown>('getblockheader', [at, false]);
      const header = typeof raw === 'string' && HEADER_HEX.test(raw) ? fromHex(raw) : undefined;
      const parsed = header && parseHeader(header);
      if (header === undefined || parsed === undefined || headerHash(header) !== at || !meetsTarget(at, parsed.bits))
        break;
      found.push({ hash: at, height: height - found.length, header });
      at = parsed.previousHash;
    }
    return found;
  }

  /** What was stored above the fork belongs to a branch that was left. */
  async function follow(to: Tip): Promise<void> {
    const found = await walk(to);
    const fork = to.height - found.length;
    await store.db.transaction().execute(async (db) => {
      await db.deleteFrom('studio_headers').where('network', '=', network).where('height', '>', fork).execute();
      await insert(db, found);
    });
  }

  async function insert(db: Store<StudioTables>['db'], headers: readonly StoredHeader[]): Promise<void> {
    for (const { hash, height, header } of headers) {
      await db
        .insertInto('studio_headers')
        .values({ hash, network, height, header: Buffer.from(header) })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }

  async function work(): Promise<void> {
    while (wanted !== null) {
      const next = wanted;
      wanted = null;
      try {
        await follow(next);
      } catch (error) {
        logger.debug({ err: error, hash: next.hash }, 'the headers up to the tip were not read');
      }
    }
  }

  function onTip(next: Tip): void {
    wanted = next;
    working ??= work().finally(() => {
      working = undefined;
      if (wanted !== null && stopListening !== undefined) onTip(wanted);
    });
  }

  return {
    start(): void {
      stopListening = tip.onTip(onTip);
      const current = tip.current();
      if (current !== null) onTip(current);
    },
    /** Waits for what is being stored. */
    async stop(): Promise<void> {
      stopListening?.();
      stopListening = undefined;
      wanted = null;
      await working;
    },
    /** Stores further headers that were found on the chain with the most work. */
    async remember(headers: readonly StoredHeader[]): Promise<void> {
      await insert(store.db, headers);
    },
  };
}
