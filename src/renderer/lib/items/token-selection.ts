import { create } from 'zustand';

interface TokenSelection {
  /** Outpoints of tokens, in the order they were chosen in; carried from a wall or a project into the sending of many. */
  readonly chosen: ReadonlySet<string>;
  change(change: (chosen: ReadonlySet<string>) => ReadonlySet<string>): void;
}

export const useTokenSelection = create<TokenSelection>((set) => ({
  chosen: new Set(),
  change: (change) => set(({ chosen }) => ({ chosen: change(chosen) })),
}));
