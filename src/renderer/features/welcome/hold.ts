import { client } from '../../api/client.ts';
import { clearLeftBehind, LEFT_BEHIND } from './first-mint.ts';

/** Browsers provide locks on secure pages only. Without them each page is treated as the only one. */
const locks: LockManager | undefined = navigator.locks;

/**
 * Signals to other pages of this browser that the first mint is open here, so that they do not remove it.
 * @returns ends that; resolves once the others may know
 */
export function holdFirstMint(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = locks?.request(LEFT_BEHIND, { mode: 'shared' }, () => promise);
  return async () => {
    resolve();
    await ended;
  };
}

/** Does something if no page has the first mint open. */
export async function whereNobodyHolds(work: () => Promise<void>): Promise<void> {
  if (locks === undefined) return work();
  await locks.request(LEFT_BEHIND, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await work();
  });
}

/** Removes an abandoned first mint, unless another page of this browser has it open. */
export const clearUnheld = (): Promise<void> => whereNobodyHolds(() => clearLeftBehind(client));
