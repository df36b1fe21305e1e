import { useEffect } from 'react';
import { failureOf } from '../../api/failure.ts';
import { i18n } from '../../i18n/index.ts';
import { showToast, usePageUndo } from './toast-store.ts';

interface Undo {
  /** A later offer of the same id takes the place of the earlier one. */
  readonly id: string;
  /** What was done, as a sentence. */
  readonly title: string;
  /** The inverse; why it failed is told where it does. @returns what was taken back, where a sentence says it */
  readonly undo: () => unknown;
  /** The host keeps it, so that the open view takes it back too: the message may go. */
  readonly isKept?: true;
  /** Runs once the offer is over, taken or not. */
  readonly over?: () => unknown;
}

/**
 * Says what was done and offers to undo it by a button or Ctrl+Z, without a clock: until that is taken or closed, or the view is left. What
 * was done is done already, so a reload loses nothing but the offer.
 */
export function offerUndo({ title, isKept, ...offer }: Undo): void {
  const action = { label: i18n.t('common.undo'), run: () => void takeBack(offer) };
  const toast = { id: offer.id, tone: 'done', title, action, isUndo: true, onGone: offer.over } as const;
  showToast(isKept ? toast : { ...toast, lastsMs: null });
}

/** What Ctrl+Z does in this view where no message offers anything: what the view keeps of its changes. */
export function useUndoOf(offer: Pick<Undo, 'id' | 'undo'>): void {
  useEffect(() => {
    const run = (): void => void takeBack(offer);
    usePageUndo.setState({ run });
    return () => usePageUndo.setState({ run: undefined });
  }, [offer]);
}

/** Takes something back and says so, or why it failed. */
export async function takeBack({ id, undo, over }: Omit<Undo, 'title' | 'isKept'>): Promise<void> {
  try {
    const said = await undo();
    showToast({ id, tone: 'done', title: typeof said === 'string' ? said : i18n.t('common.undone') });
  } catch (error) {
    const failure = failureOf(error);
    showToast({ id, tone: 'fail', title: failure.message, text: failure.hint ?? failure.code });
  } finally {
    over?.();
  }
}
