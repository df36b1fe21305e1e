import { create } from 'zustand';

interface TokenSelection {
  /** Outpoints of tokens in the order of selection. Passed from a wall or a project to the page that sends several. */
  readonly chosen: ReadonlySet<string>;
  change(change: (chosen: ReadonlySet<string>) => ReadonlySet<string>): void;
}

export const useTokenSelection = create<TokenSelection>((set) => ({
  chosen: new Set(),
  change: (change) => set(({ chosen }) => ({ chosen: change(chosen) })),
}));
