import { randomUUID } from 'node:crypto';
import type { Generated, Kysely } from 'kysely';
import { type Notice, noticeSchema } from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { NewNotice, Notices } from '../ports/infrastructure/notices.ts';
import type { NamedMigration } from '../store/store.ts';
import type { Logging } from './logging.ts';

/** Most past notices that can be read, and most notices that are kept over a restart. */
const MOST_PAST = 200;

interface NoticeTables {
  notices: {
    /** Grows with each notice. */
    sequence: Generated<number>;
    /** The notice as JSON. */
    notice: string;
  };
}

export const noticeMigrations: readonly NamedMigration[] = [
  {
    name: 'notices-0001',
    up: async (db) => {
      await db.schema
        .createTable('notices')
        .addColumn('sequence', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('notice', 'text', (column) => column.notNull())
        .execute();
    },
  },
];

interface NoticeBoardOptions {
  clock: Clock;
  events: Events;
  db: Kysely<NoticeTables>;
  logger: Pick<Logging['logger'], 'warn'>;
}

/**
 * Notices for the user, shown until they are dismissed. A notice with the same id replaces the older one. Those that are over can be read, also
 * after a restart: each is written down when it is added. A notice that still applies is added again.
 */
export class NoticeBoard implements Notices {
  readonly #notices = new Map<string, Notice>();
  /** The newest first. */
  #past: readonly Notice[];
  readonly #options: NoticeBoardOptions;
  readonly #writes = new Sequencer();

  private constructor(options: NoticeBoardOptions, past: readonly Notice[]) {
    this.#options = options;
    this.#past = past;
  }

  /** Opens the board with the notices of earlier runs. @throws SqliteError */
  static async open(options: NoticeBoardOptions): Promise<NoticeBoard> {
    const rows = await options.db
      .selectFrom('notices')
      .select('notice')
      .orderBy('sequence', 'desc')
      .limit(MOST_PAST)
      .execute();
    return new NoticeBoard(options, rows.flatMap(readNotice));
  }

  add({ id = randomUUID(), level, failure }: NewNotice): void {
    const { clock, events } = this.#options;
    const { message, hint } = failure;
    const added: Notice = { id, level, message, ...(hint !== undefined && { hint }), failure, at: clock.now() };
    this.#end(added.id);
    this.#notices.set(added.id, added);
    events.publish({ type: 'notice', notice: added });
    this.#write(added);
  }

  list(): Notice[] {
    return [...this.#notices.values()];
  }

  /** Those that were dismissed or replaced, or added in an earlier run, the newest first. */
  past(): readonly Notice[] {
    return this.#past;
  }

  dismiss(id: string): void {
    if (this.#end(id)) this.#options.events.publish({ type: 'notice-dismissed', id });
  }

  /** Resolves when every notice is written down. */
  settled(): Promise<void> {
    return this.#writes.idle();
  }

  #end(id: string): boolean {
    const notice = this.#notices.get(id);
    if (notice === undefined) return false;
    this.#past = [notice, ...this.#past].slice(0, MOST_PAST);
    return this.#notices.delete(id);
  }

  /** A failed write is only logged: the notice may be about a full disk. */
  #write(notice: Notice): void {
    const { db, logger } = this.#options;
    this.#writes
      .run(async () => {
        await db
          .insertInto('notices')
          .values({ notice: JSON.stringify(notice) })
          .execute();
        await db
          .deleteFrom('notices')
          .where('sequence', '<=', ({ selectFrom }) =>
            selectFrom('notices').select(({ fn, eb }) => eb(fn.max('sequence'), '-', MOST_PAST).as('last')),
          )
          .execute();
      })
      .catch((error: unknown) => logger.warn({ err: error }, 'a notice was not written down'));
  }
}

/** Empty if another version wrote something that this one cannot read. */
function readNotice({ notice }: { notice: string }): Notice[] {
  const read = noticeSchema.safeParse(JSON.parse(notice));
  return read.success ? [read.data] : [];
}
