import { createHash, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import {
  type Approval,
  type ApprovalKind,
  type ApprovalList,
  type ApprovalReason,
  type ApprovalRecord,
  type Contract,
  PlanchetError,
  type Serves,
} from '../../contract/index.ts';
import { BackOffs } from '../async/back-off.ts';
import type { ApprovalRequest, Approvals } from '../ports/approvals.ts';
import type { Clock } from '../ports/clock.ts';
import { dayOf, Permissions } from './permissions.ts';
import type { ApprovalTables } from './tables.ts';

/** How long a request waits for the person: short for a program that waits for the answer, long for documents, which can wait. */
const LIFE_MS: Readonly<Record<ApprovalKind, number>> = { broadcast: 120_000, budget: 3_600_000 };
/** Requests that may wait at once: of all programs, and of one. */
const MAX_WAITING = 8;
const MAX_WAITING_EACH = 3;
/** Requests are denied only after this long without a page, since a page may be reloading. */
const CLOSED_MS = 10_000;
/** A program that was denied may ask again after the first wait; each further denial doubles it. */
const DENIED = { firstMs: 30_000, longestMs: 3_600_000 };
const MAX_DENIED = 1_000;
const SHOWN_RECORDS = 50;
const KEPT_RECORDS_MS = 90 * 86_400_000;

type Denial = Exclude<ApprovalReason, 'remembered'>;
type Decision = Pick<ApprovalRecord, 'outcome' | 'reason' | 'decidedAt'>;
type Approve = Parameters<Serves<Contract['approvals']>['approve']>[0];

const denials = {
  person: 'approvals.denied',
  timeout: 'approvals.too-late',
  closed: 'approvals.page-closed',
  left: 'approvals.withdrawn',
  locked: 'approvals.locked',
  stopped: 'approvals.stopping',
} as const satisfies Record<Denial, string>;

interface Waiting {
  readonly request: ApprovalRequest;
  readonly shown: Approval;
  readonly journalled: Promise<unknown>;
  readonly settle: (error?: PlanchetError) => void;
  readonly release: () => void;
  /** A decision about it is being written. */
  deciding: boolean;
  /** What ended it while a decision was being written. */
  ended?: Denial;
}

export interface ApprovalQueueOptions {
  db: Kysely<ApprovalTables>;
  clock: Clock;
  /** Nothing is approved while the wallet is locked. */
  isLocked: () => boolean;
  /** Called whenever the waiting requests change. */
  onChange: (waiting: readonly Approval[]) => void;
}

/**
 * The queue of requests of other programs. Each request is journalled before it is shown and again before it is answered. Anything but an
 * approval denies it.
 */
export class ApprovalQueue implements Approvals {
  readonly #options: ApprovalQueueOptions;
  readonly #permissions: Permissions;
  readonly #backOffs = new BackOffs(DENIED, MAX_DENIED);
  readonly #waiting = new Map<string, Waiting>();
  /** Satoshis that were granted to the writer, by the day. Where the clock was put back, days to come are among them. */
  readonly #granted = new Map<number, number>();
  #records: ApprovalRecord[];
  #cancelClosing: (() => void) | undefined;

  private constructor(options: ApprovalQueueOptions, permissions: Permissions, records: ApprovalRecord[]) {
    this.#options = options;
    this.#permissions = permissions;
    this.#records = records;
  }

  /** Opens the journal. Requests that waited when the process ended are denied. */
  static async open(options: ApprovalQueueOptions): Promise<ApprovalQueue> {
    const { db, clock } = options;
    const now = clock.now();
    await db
      .updateTable('approvals')
      .set({ outcome: 'denied', reason: 'stopped', decided_at: now })
      .where('outcome', 'is', null)
      .execute();
    await db
      .deleteFrom('approvals')
      .where('asked_at', '<', now - KEPT_RECORDS_MS)
      .execute();
    const rows = await db
      .selectFrom('approvals')
      .selectAll()
      .orderBy('decided_at', 'desc')
      .limit(SHOWN_RECORDS)
      .execute();
    const granted = await db
      .selectFrom('approvals')
      .select(['amount', 'decided_at'])
      .where('kind', '=', 'budget')
      .where('outcome', '=', 'approved')
      .where('decided_at', '>=', dayOf(now) * 86_400_000)
      .execute();
    const queue = new ApprovalQueue(options, await Permissions.open(db, clock), rows.map(recordOf));
    for (const { amount, decided_at } of granted) queue.#grant(decided_at ?? now, amount);
    return queue;
  }

  list(): ApprovalList {
    return { waiting: this.#shown(), permissions: this.#permissions.list(), records: this.#records };
  }

  /** Satoshis that were granted today (UTC) on top of the writer's cap. */
  grantedToday(): number {
    return this.#granted.get(dayOf(this.#options.clock.now())) ?? 0;
  }

  async ask(request: ApprovalRequest): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now();
    const { program } = request;
    if (request.signal?.aborted) throw new PlanchetError('approvals.withdrawn');
    if (this.#options.isLocked()) throw new PlanchetError('approvals.locked');
    const shown = shownOf(request, now);
    if (await this.#permissions.use(request)) {
      await this.#insert(request, shown, { outcome: 'approved', reason: 'remembered', decidedAt: now });
      this.#changed();
      return;
    }
    const left = this.#backOffs.left(program.id, now);
    if (left > 0) throw new PlanchetError('approvals.too-often', { seconds: Math.ceil(left / 1_000) });
    const own = [...this.#waiting.values()].filter((one) => one.request.program.id === program.id);
    if (this.#waiting.size >= MAX_WAITING || own.length >= MAX_WAITING_EACH)
      throw new PlanchetError('approvals.too-many', { waiting: this.#waiting.size });
    await this.#wait(request, shown);
  }

  /**
   * Approves exactly what was shown.
   * @param digest of what the person saw
   * @throws PlanchetError `not-found`, `conflict` if something else was shown, `vault-locked`, `invalid-input`
   */
  async approve({ id, digest, remember }: Approve): Promise<void> {
    const waiting = this.#open(id);
    if (this.#options.isLocked()) throw new PlanchetError('approvals.locked');
    if (digest !== waiting.shown.digest || digestOf(waiting.request, waiting.shown) !== digest)
      throw new PlanchetError('approvals.changed');
    if (waiting.request.program.stillValid?.() === false) {
      await this.#deny(id, 'left');
      throw new PlanchetError('approvals.gone');
    }
    if (remember !== undefined) this.#permissions.check(remember);
    waiting.deciding = true;
    try {
      await this.#decide(waiting, 'approved', 'person');
    } catch (error) {
      waiting.deciding = false;
      if (waiting.ended !== undefined) await this.#deny(id, waiting.ended);
      throw error;
    }
    this.#backOffs.letIn(waiting.request.program.id);
    this.#end(waiting);
    try {
      if (remember !== undefined) await this.#permissions.remember(waiting.request, remember);
    } finally {
      this.#changed();
    }
  }

  /** @throws PlanchetError `not-found` */
  async deny({ id }: { id: string }): Promise<void> {
    this.#open(id);
    await this.#deny(id, 'person');
  }

  async revoke({ id }: { id: string }): Promise<void> {
    await this.#permissions.revoke(id);
    this.#changed();
  }

  /** Denies all waiting requests, for example because the wallet was locked or the page crashed. */
  async denyAll(reason: 'closed' | 'locked' | 'stopped'): Promise<void> {
    await Promise.all([...this.#waiting.keys()].map((id) => this.#deny(id, reason)));
  }

  /** Takes the number of open pages. Once the last one is closed, the requests it showed are denied, unless a page opens again soon. */
  pagesOpen(count: number): void {
    this.#cancelClosing?.();
    this.#cancelClosing = undefined;
    if (count > 0 || this.#waiting.size === 0) return;
    const seen = [...this.#waiting.keys()];
    this.#cancelClosing = this.#options.clock.after(CLOSED_MS, () => {
      for (const id of seen) void this.#deny(id, 'closed');
    });
  }

  #open(id: string): Waiting {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || waiting.deciding || waiting.shown.expiresAt <= this.#options.clock.now())
      throw new PlanchetError('approvals.gone');
    return waiting;
  }

  async #wait(request: ApprovalRequest, shown: Approval): Promise<void> {
    const { clock } = this.#options;
    const { signal } = request;
    const { id } = shown;
    const decided = new Promise<void>((resolve, reject) => {
      const cancel = clock.after(shown.expiresAt - shown.askedAt, () => void this.#deny(id, 'timeout'));
      const withdraw = (): void => void this.#deny(id, 'left');
      signal?.addEventListener('abort', withdraw, { once: true });
      this.#waiting.set(id, {
        request,
        shown,
        journalled: this.#insert(request, shown),
        settle: (error) => (error === undefined ? resolve() : reject(error)),
        release: () => {
          cancel();
          signal?.removeEventListener('abort', withdraw);
        },
        deciding: false,
      });
    });
    // Handled where it is awaited below.
    decided.catch(() => {});
    const waiting = this.#waiting.get(id) as Waiting;
    try {
      await waiting.journalled;
    } catch (error) {
      this.#end(waiting, new PlanchetError('approvals.withdrawn'));
      throw error;
    }
    if (this.#waiting.has(id)) this.#changed();
    await decided;
  }

  async #deny(id: string, reason: Denial): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (waiting.deciding) {
      waiting.ended ??= reason;
      return;
    }
    waiting.deciding = true;
    const { program } = waiting.request;
    if (reason === 'person' || reason === 'timeout') this.#backOffs.turnedAway(program.id, this.#options.clock.now());
    // A denial holds without the journal: the program gets nothing even if the entry cannot be written.
    await this.#decide(waiting, 'denied', reason).catch(() => undefined);
    this.#end(waiting, new PlanchetError(denials[reason]));
    this.#changed();
  }

  async #decide(
    { request, shown, journalled }: Waiting,
    outcome: Decision['outcome'],
    reason: ApprovalReason,
  ): Promise<void> {
    const decidedAt = this.#options.clock.now();
    await journalled;
    await this.#options.db
      .updateTable('approvals')
      .set({ outcome, reason, decided_at: decidedAt })
      .where('id', '=', shown.id)
      .execute();
    this.#note(request, shown, { outcome, reason, decidedAt });
  }

  async #insert(request: ApprovalRequest, shown: Approval, decision?: Decision): Promise<void> {
    await this.#options.db
      .insertInto('approvals')
      .values({
        id: shown.id,
        kind: shown.kind,
        program_id: request.program.id,
        program: shown.program,
        method: shown.method,
        amount: shown.amount,
        digest: shown.digest,
        asked_at: shown.askedAt,
        expires_at: shown.expiresAt,
        outcome: decision?.outcome ?? null,
        reason: decision?.reason ?? null,
        decided_at: decision?.decidedAt ?? null,
        txids: shown.transactions.length === 0 ? null : JSON.stringify(shown.transactions.map(({ txid }) => txid)),
      })
      .execute();
    if (decision !== undefined) this.#note(request, shown, decision);
  }

  #note(
    { kind, amount }: ApprovalRequest,
    { id, program, method, askedAt, transactions }: Approval,
    decision: Decision,
  ): void {
    const txids = transactions.map(({ txid }) => txid);
    const isSent = decision.outcome === 'approved' && txids.length > 0;
    const record = { id, kind, program, method, amount, askedAt, ...decision, ...(isSent && { txids }) };
    this.#records = [record, ...this.#records].slice(0, SHOWN_RECORDS);
    if (kind === 'budget' && decision.outcome === 'approved') this.#grant(decision.decidedAt, amount);
  }

  #grant(at: number, amount: number): void {
    const day = dayOf(at);
    this.#granted.set(day, (this.#granted.get(day) ?? 0) + amount);
  }

  #end(waiting: Waiting, error?: PlanchetError): void {
    if (!this.#waiting.delete(waiting.shown.id)) return;
    waiting.release();
    waiting.settle(error);
  }

  #shown(): Approval[] {
    return [...this.#waiting.values()].filter(({ deciding }) => !deciding).map(({ shown }) => shown);
  }

  #changed(): void {
    this.#options.onChange(this.#shown());
  }
}

function shownOf(request: ApprovalRequest, now: number): Approval {
  const { kind, program, method, amount, transactions, transactionCount, cap = null } = request;
  const content = {
    kind,
    program: program.name,
    method,
    amount,
    transactions: [...transactions],
    transactionCount,
    cap,
  };
  const shown = { id: randomUUID(), ...content, askedAt: now, expiresAt: now + LIFE_MS[kind] };
  return { ...shown, digest: digestOf(request, shown) };
}

/** SHA-256 of all that a person sees of a request, from what the program asked for. */
function digestOf(request: ApprovalRequest, { id, askedAt, expiresAt }: Omit<Approval, 'digest'>): string {
  const { kind, program, method, amount, transactions, transactionCount, cap = null } = request;
  const parts = [id, askedAt, expiresAt, kind, program.name, method, amount, transactions, transactionCount, cap];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function recordOf(row: ApprovalTables['approvals']): ApprovalRecord {
  return {
    id: row.id,
    kind: row.kind as ApprovalKind,
    program: row.program,
    method: row.method,
    amount: row.amount,
    askedAt: row.asked_at,
    decidedAt: row.decided_at ?? row.asked_at,
    outcome: row.outcome === 'approved' ? 'approved' : 'denied',
    reason: (row.reason ?? 'stopped') as ApprovalReason,
    ...(row.outcome === 'approved' && row.txids !== null && { txids: JSON.parse(row.txids) as string[] }),
  };
}
