import type { Notice } from '../../contract/index.ts';

/** Notices for the user, kept until they are dismissed. */
export interface Notices {
  add(notice: Omit<Notice, 'id' | 'at'> & { id?: string }): void;
  list(): Notice[];
  dismiss(id: string): void;
}
