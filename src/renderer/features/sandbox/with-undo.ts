import { client } from '../../api/client.ts';
import { hideToast } from '../../components/toasts/toast-store.ts';
import { offerUndo } from '../../components/toasts/undo.ts';

/** The network as it was before the last destructive action. It is not shown among the snapshots, and removed when the offer is over. */
const SAFETY = 'before-the-last-action';
const TOAST = 'sandbox-undo';

/** Whether a snapshot is one that a person took. */
export const isOwnSnapshot = ({ name }: { name: string }): boolean => name !== SAFETY;

let removed: Promise<unknown> = Promise.resolve();

function removeSafety(): void {
  removed = client.sandbox.snapshots.remove({ name: SAFETY }).catch(() => {});
}

/** Says what was done to the network and offers to take it back. The offer before it is over. */
export function offerNetworkUndo(title: string, undo: () => Promise<unknown>, over?: () => void): void {
  offerUndo({ id: TOAST, title, undo, over });
}

/** Does something that cannot be taken back by itself, with a snapshot before it that an undo goes back to. */
export async function withUndo(title: string, work: () => Promise<unknown>): Promise<void> {
  hideToast(TOAST);
  await removed;
  // A page that was closed may have left one.
  removeSafety();
  await removed;
  await client.sandbox.snapshots.take({ name: SAFETY });
  try {
    await work();
    offerNetworkUndo(title, () => client.sandbox.snapshots.revert({ name: SAFETY }), removeSafety);
  } catch (error) {
    removeSafety();
    await removed;
    throw error;
  }
}
