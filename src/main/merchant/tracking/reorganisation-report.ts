import type { Logger } from 'pino';
import type { Reorganisation, TrackedTransaction } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { HeaderChain, HeadersChange } from '../../ports/headers.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';

/** As many transactions are named; views count the others. */
const MAX_NAMED = 100;
/** Transactions that are remembered until a reorganisation is told. */
const MAX_KEPT = 100_000;

export interface ReorganisationReportOptions {
  headers: Pick<HeaderChain, 'onChange' | 'isActive'>;
  tracker: Pick<TransactionTracker, 'onChange'> & {
    many(txids: readonly string[]): Promise<ReadonlyMap<string, TrackedTransaction>>;
  };
  follower: { leave(change: HeadersChange, isActive: (hash: string) => boolean): Promise<void> };
  events: Events;
  clock: Clock;
  logger: Logger;
}

/**
 * Tells of each reorganisation once: how many blocks were replaced, by the stored headers, and what became of the transactions in them, by the
 * tracker.
 */
export class ReorganisationReport {
  /** Names of the tokens that transactions minted, by txid. */
  namesOf: (txids: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>> = async () => new Map();
  readonly #options: ReorganisationReportOptions;
  readonly #stale = new Set<string>();
  readonly #ends: readonly (() => void)[];
  readonly #telling = new Sequencer();

  constructor(options: ReorganisationReportOptions) {
    this.#options = options;
    this.#ends = [
      options.tracker.onChange(({ txid, transaction }) => {
        if (transaction.state === 'stale' && this.#stale.size < MAX_KEPT) this.#stale.add(txid);
      }),
      options.headers.onChange((change) => {
        if (change.left === 0) return;
        void this.#telling
          .run(() => this.#follow(change))
          .catch((error: unknown) => options.logger.error({ err: error }, 'a reorganisation was not told'));
      }),
    ];
  }

  /** Stops listening; resolves when what was begun is told. */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#telling.idle();
  }

  async #follow(change: HeadersChange): Promise<void> {
    const { headers, follower } = this.#options;
    // The headers may be ahead of the tracker.
    await follower.leave(change, (hash) => headers.isActive(hash));
    if (isReorganisation(change)) await this.#tell(change);
  }

  async #tell({ fork, left, tip }: HeadersChange): Promise<void> {
    const { tracker, events, clock } = this.#options;
    const txids = [...this.#stale];
    this.#stale.clear();
    const now = await tracker.many(txids);
    // The tracker goes back to the last block it searched, which may lie below the fork; what it finds there again was never touched.
    const touched = [...now.values()].filter(({ block }) => block === null || block.height > fork);
    const named = touched.slice(0, MAX_NAMED);
    const names = await this.namesOf(named.map(({ txid }) => txid));
    const affected = named.map((one) => ({ ...placeOf(one), tokens: [...(names.get(one.txid) ?? [])] }));
    events.publish({
      type: 'reorganisation',
      reorganisation: { at: clock.now(), blocks: left, height: tip.height, affected, total: touched.length },
    });
  }
}

/** A chain that only became shorter was put back on purpose, as a snapshot of the sandbox is. */
function isReorganisation({ fork, left, tip }: HeadersChange): boolean {
  return left > 0 && fork > 0 && tip.height >= fork + left;
}

type Place = Omit<Reorganisation['affected'][number], 'tokens'>;

function placeOf({ txid, origin, state, block }: TrackedTransaction): Place {
  if (block !== null && state !== 'double-spent') return { txid, origin, outcome: 'mined', height: block.height };
  const lost = state === 'double-spent' || state === 'failed';
  return { txid, origin, outcome: lost ? 'lost' : 'waiting', height: null };
}
