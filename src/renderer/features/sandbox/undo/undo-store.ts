import { create } from 'zustand';
import { client } from '../../../api/client.ts';

/** How long something can be undone. */
export const UNDO_MS = 10_000;
/** The network as it was before the last destructive action. It is not shown among the snapshots, and removed when the time is over. */
const SAFETY = 'before-the-last-action';

/** Something a person did that can be taken back. */
interface UndoOffer {
  /** Distinguishes this offer from the one before. */
  readonly number: number;
  /** What was done, as a sentence. */
  readonly text: string;
  readonly undo: () => Promise<unknown>;
  /** Runs once the offer is over, taken or not. */
  readonly over: () => Promise<unknown>;
}

export const useUndoOffer = create<{ offer: UndoOffer | null }>(() => ({ offer: null }));

let number = 0;

/** Offers to take something back. The offer before it is over. */
export function offerUndo(
  text: string,
  undo: () => Promise<unknown>,
  over: () => Promise<unknown> = async () => {},
): void {
  const before = useUndoOffer.getState().offer;
  number += 1;
  useUndoOffer.setState({ offer: { number, text, undo, over } });
  void before?.over();
}

/** Ends an offer, unless another one has taken its place. */
export function endOffer(ended: UndoOffer): void {
  useUndoOffer.setState(({ offer }) => (offer?.number === ended.number ? { offer: null } : {}));
  void ended.over();
}

/** Whether a snapshot is one that a person took. */
export const isOwnSnapshot = ({ name }: { name: string }): boolean => name !== SAFETY;

const removeSafety = (): Promise<unknown> => client.sandbox.snapshots.remove({ name: SAFETY }).catch(() => {});

/** Does something that cannot be taken back by itself, with a snapshot before it that an undo goes back to. */
export async function withUndo<T>(text: (result: T) => string, work: () => Promise<T>): Promise<T> {
  const before = useUndoOffer.getState().offer;
  if (before !== null) {
    useUndoOffer.setState({ offer: null });
    await before.over();
  }
  await removeSafety();
  await client.sandbox.snapshots.take({ name: SAFETY });
  try {
    const result = await work();
    offerUndo(text(result), () => client.sandbox.snapshots.revert({ name: SAFETY }), removeSafety);
    return result;
  } catch (error) {
    await removeSafety();
    throw error;
  }
}
