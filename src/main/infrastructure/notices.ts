import { randomUUID } from 'node:crypto';
import type { Notice } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { NewNotice, Notices } from '../ports/infrastructure/notices.ts';

/** Notices for the user, kept until they are dismissed. A notice with the same id replaces the older one. */
export class NoticeBoard implements Notices {
  readonly #notices = new Map<string, Notice>();
  readonly #clock: Clock;
  readonly #events: Events;

  constructor(options: { clock: Clock; events: Events }) {
    this.#clock = options.clock;
    this.#events = options.events;
  }

  add({ id = randomUUID(), level, failure }: NewNotice): void {
    const { message, hint } = failure;
    const added: Notice = { id, level, message, ...(hint !== undefined && { hint }), failure, at: this.#clock.now() };
    this.#notices.set(added.id, added);
    this.#events.publish({ type: 'notice', notice: added });
  }

  list(): Notice[] {
    return [...this.#notices.values()];
  }

  dismiss(id: string): void {
    if (this.#notices.delete(id)) this.#events.publish({ type: 'notice-dismissed', id });
  }
}
