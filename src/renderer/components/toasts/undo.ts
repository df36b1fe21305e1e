import { failureOf } from '../../api/failure.ts';
import { i18n } from '../../i18n/index.ts';
import { showToast } from './toast-store.ts';

/** For so long something that was done can be undone by a button. */
const UNDO_MS = 10_000;

/**
 * Says what was done and offers to undo it for ten seconds. What was done is done already, so a reload loses nothing but the offer.
 * @param undo the inverse; why it failed is told where it does
 */
export function offerUndo({ id, title, undo }: { id: string; title: string; undo: () => Promise<unknown> }): void {
  const run = (): void => {
    undo().then(
      () => showToast({ id, tone: 'done', title: i18n.t('common.undone') }),
      (error: unknown) => {
        const failure = failureOf(error);
        showToast({ id, tone: 'fail', title: failure.message, text: failure.hint ?? failure.code });
      },
    );
  };
  showToast({ id, tone: 'done', title, action: { label: i18n.t('common.undo'), run }, lastsMs: UNDO_MS });
}
