import type { QueryClient } from '@tanstack/react-query';
import type { ItemChange } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { i18n } from '../../i18n/index.ts';
import { offerUndo } from './undo.ts';

/** A short description of a change: `3 drafts removed`. */
export function changeText({ what, items }: Pick<ItemChange, 'what' | 'items'>): string {
  return i18n.t(`projects.undo.change.${what}`, { count: items });
}

/** Undoes the last change of a project, by a message, the menu or Ctrl+Z. The host stores it, so it survives a reload. */
export function undoOf(queries: QueryClient, projectUid: string): { id: string; undo: () => Promise<string> } {
  return {
    id: `project-${projectUid}`,
    undo: async () => {
      const change = await client.items.undo({ projectUid });
      await queries.invalidateQueries({ queryKey: api.items.key() });
      return i18n.t('projects.undo.done', { change: changeText(change) });
    },
  };
}

/** Reports a change and offers to undo it. Only the last change of a project is offered. */
export function offerProjectUndo(queries: QueryClient, projectUid: string, title: string): void {
  void queries.invalidateQueries({ queryKey: api.items.history.key() });
  offerUndo({ ...undoOf(queries, projectUid), title, isKept: true });
}
