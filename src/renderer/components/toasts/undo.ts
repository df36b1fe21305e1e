import { useEffect } from 'react';
import { i18n } from '../../i18n/index.ts';
import { showFailure } from './show-failure.ts';
import { showToast, usePageUndo } from './toast-store.ts';

interface Undo {
  /** A later offer with the same id replaces the earlier one. */
  readonly id: string;
  /** What was done, as a sentence. */
  readonly title: string;
  /** The inverse. It reports its own failure. @returns what was undone, if a sentence says so */
  readonly undo: () => unknown;
  /** The host stores the change, so the open view can undo it too and the message may time out. */
  readonly isKept?: true;
  /** Runs once the offer has ended, used or not. */
  readonly over?: () => unknown;
}

/**
 * Reports an action and offers to undo it by a button or Ctrl+Z. The offer has no time limit: it ends when it is used or closed, or when the view
 * is left. The action is complete already, so a reload loses only the offer.
 */
export function offerUndo({ title, isKept, ...offer }: Undo): void {
  const action = { label: i18n.t('common.undo'), run: () => void takeBack(offer) };
  const toast = { id: offer.id, tone: 'done', title, action, isUndo: true, onGone: offer.over } as const;
  showToast(isKept ? toast : { ...toast, lastsMs: null });
}

/** What Ctrl+Z does in this view if no message offers an undo: the changes that the view stores. */
export function useUndoOf(offer: Pick<Undo, 'id' | 'undo'>): void {
  useEffect(() => {
    const run = (): void => void takeBack(offer);
    usePageUndo.setState({ run });
    return () => usePageUndo.setState({ run: undefined });
  }, [offer]);
}

/** Undoes something and reports the result or the failure. */
export async function takeBack({ id, undo, over }: Omit<Undo, 'title' | 'isKept'>): Promise<void> {
  try {
    const said = await undo();
    showToast({ id, tone: 'done', title: typeof said === 'string' ? said : i18n.t('common.undone') });
  } catch (error) {
    showFailure(id, error);
  } finally {
    over?.();
  }
}
