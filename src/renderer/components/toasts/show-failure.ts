import { modals } from '@mantine/modals';
import type { Failure } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive } from '../../api/live/live-store.ts';
import { i18n } from '../../i18n/index.ts';
import { hintOf } from '../../i18n/reason.ts';
import { type Mend, mendLink, mendOf } from '../../lib/mends.ts';
import { showToast } from './toast-store.ts';

/**
 * Says why something failed that has no place of its own in the view, with the button that fixes it.
 * @param id a later message with the same id replaces this one
 */
export function showFailure(id: string, error: unknown): void {
  const failure = failureOf(error);
  const mend = mendOf(failure);
  const action = mend && { label: i18n.t(`common.mend.${mend}`), run: () => take(mend, failure) };
  const text = hintOf(failure) ?? failure.code;
  showToast({ id, tone: 'fail', title: failure.message, text, ...(action && { action }) });
}

function take(mend: Mend, failure: Failure): void {
  const to = mendLink(mend, failure, useLive.getState().app?.network ?? 'sandbox');
  if (to === null) {
    void client.sandbox.faults.clear({}).catch((error: unknown) => showFailure('faults-cleared', error));
    return;
  }
  // A dialog would stay open above the linked page.
  modals.closeAll();
  location.hash = to;
}
