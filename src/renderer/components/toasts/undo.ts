import { failureOf } from '../../api/failure.ts';
import { i18n } from '../../i18n/index.ts';
import { showToast } from './toast-store.ts';

/** For so long something that was done can be undone by a button. */
const UNDO_MS = 10_000;

interface Undo {
  /** A later offer of the same id takes the place of the earlier one. */
  readonly id: string;
  /** What was done, as a sentence. */
  readonly title: string;
  /** The inverse; why it failed is told where it does. */
  readonly undo: () => unknown;
  /** Runs once the offer is over, taken or not. */
  readonly over?: () => unknown;
}

/**
 * Says what was done and offers to undo it for ten seconds, by a button or Ctrl+Z. What was done is done already, so a reload loses nothing
 * but the offer.
 */
export function offerUndo({ id, title, undo, over }: Undo): void {
  const run = async (): Promise<void> => {
    try {
      await undo();
      showToast({ id, tone: 'done', title: i18n.t('common.undone') });
    } catch (error) {
      const failure = failureOf(error);
      showToast({ id, tone: 'fail', title: failure.message, text: failure.hint ?? failure.code });
    } finally {
      over?.();
    }
  };
  const action = { label: i18n.t('common.undo'), run: () => void run() };
  showToast({ id, tone: 'done', title, action, isUndo: true, lastsMs: UNDO_MS, onGone: over });
}
