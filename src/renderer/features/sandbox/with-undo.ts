import { client } from '../../api/client.ts';
import { hideToast } from '../../components/toasts/toast-store.ts';
import { offerUndo } from '../../components/toasts/undo.ts';

/** The name of the snapshot made before the last destructive action. It is not listed, and is deleted when the undo is no longer offered. */
const SAFETY = 'before-the-last-action';
const TOAST = 'sandbox-undo';

/** Whether a person made the snapshot. */
export const isOwnSnapshot = ({ name }: { name: string }): boolean => name !== SAFETY;

let removed: Promise<unknown> = Promise.resolve();

function removeSafety(): void {
  removed = client.sandbox.snapshots.remove({ name: SAFETY }).catch(() => {});
}

/** Reports a change of the network and offers to undo it. An earlier offer ends. */
export function offerNetworkUndo(title: string, undo: () => Promise<unknown>, over?: () => void): void {
  offerUndo({ id: TOAST, title, undo, over });
}

/** Does something that cannot be undone on its own, after a snapshot that the undo restores. */
export async function withUndo(title: string, work: () => Promise<unknown>): Promise<void> {
  hideToast(TOAST);
  await removed;
  // A page that was closed may have left a snapshot.
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
