import { client } from '../../api/client.ts';
import { clearLeftBehind, LEFT_BEHIND } from './first-mint.ts';

/** Browsers have locks in secure pages alone; without them each page is taken for the only one. */
const locks: LockManager | undefined = navigator.locks;

/**
 * Says to other pages of this browser that the first mint is in view here, so that none of them takes it for left behind.
 * @returns ends that, and is done once the others may know
 */
export function holdFirstMint(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = locks?.request(LEFT_BEHIND, { mode: 'shared' }, () => promise);
  return async () => {
    resolve();
    await ended;
  };
}

/** Does a work where no page has the first mint in view. */
export async function whereNobodyHolds(work: () => Promise<void>): Promise<void> {
  if (locks === undefined) return work();
  await locks.request(LEFT_BEHIND, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await work();
  });
}

/** Clears the first mint that was left behind, unless another page of this browser has it in view. */
export const clearUnheld = (): Promise<void> => whereNobodyHolds(() => clearLeftBehind(client));
