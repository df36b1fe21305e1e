import type { Failure, Notice } from '../../../contract/index.ts';

/** A notice is an entry of the error catalogue, so that the page can show it in its language. One with the same id replaces the older one. */
export type NewNotice = Pick<Notice, 'level'> & { id?: string; failure: Failure };

/** Notices for the user, kept until they are dismissed. */
export interface Notices {
  add(notice: NewNotice): void;
  list(): Notice[];
  dismiss(id: string): void;
}
