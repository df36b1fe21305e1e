import type { QueryClient } from '@tanstack/react-query';
import type { ItemChange } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { i18n } from '../../i18n/index.ts';
import { offerUndo } from './undo.ts';

/** A change in a few words: `3 drafts removed`. */
export function changeText({ what, items }: Pick<ItemChange, 'what' | 'items'>): string {
  return i18n.t(`projects.undo.change.${what}`, { count: items });
}

/** How the last change of a project is taken back, by a message, the menu or Ctrl+Z: the host keeps it, whatever was closed since. */
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

/** Says what was changed and offers to take it back. Only the last change of a project is offered. */
export function offerProjectUndo(queries: QueryClient, projectUid: string, title: string): void {
  void queries.invalidateQueries({ queryKey: api.items.history.key() });
  offerUndo({ ...undoOf(queries, projectUid), title, isKept: true });
}
