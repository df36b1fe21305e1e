import { failureOf } from '../../api/failure.ts';
import { showToast } from './toast-store.ts';

/** Says why something failed that has no place of its own in the view. @param id a later message with the same id replaces this one */
export function showFailure(id: string, error: unknown): void {
  const failure = failureOf(error);
  showToast({ id, tone: 'fail', title: failure.message, text: failure.hint ?? failure.code });
}
