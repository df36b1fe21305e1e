import { randomUUID } from 'node:crypto';
import type { Notice } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { NewNotice, Notices } from '../ports/infrastructure/notices.ts';

/** Notices that are over and can still be read. */
const MOST_PAST = 100;

/** Notices for the user, shown until they are dismissed. A notice with the same id replaces the older one. Those that are over can be read until a stop. */
export class NoticeBoard implements Notices {
  readonly #notices = new Map<string, Notice>();
  /** The newest first. */
  #past: readonly Notice[] = [];
  readonly #clock: Clock;
  readonly #events: Events;

  constructor(options: { clock: Clock; events: Events }) {
    this.#clock = options.clock;
    this.#events = options.events;
  }

  add({ id = randomUUID(), level, failure }: NewNotice): void {
    const { message, hint } = failure;
    const added: Notice = { id, level, message, ...(hint !== undefined && { hint }), failure, at: this.#clock.now() };
    this.#end(added.id);
    this.#notices.set(added.id, added);
    this.#events.publish({ type: 'notice', notice: added });
  }

  list(): Notice[] {
    return [...this.#notices.values()];
  }

  /** Those that were dismissed or replaced, the newest first. */
  past(): readonly Notice[] {
    return this.#past;
  }

  dismiss(id: string): void {
    if (this.#end(id)) this.#events.publish({ type: 'notice-dismissed', id });
  }

  #end(id: string): boolean {
    const notice = this.#notices.get(id);
    if (notice === undefined) return false;
    this.#past = [notice, ...this.#past].slice(0, MOST_PAST);
    return this.#notices.delete(id);
  }
}
