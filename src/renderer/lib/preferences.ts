import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface Preferences {
  navCollapsed: boolean;
  projectsView: 'table' | 'cards';
  /** Keys of the columns shown, by list; a list nobody changed has no entry. */
  columns: Readonly<Record<string, readonly string[]>>;
  /** Lines run in the gateway's console, the newest first. */
  consoleHistory: readonly string[];
  toggleNav(): void;
  setProjectsView(view: 'table' | 'cards'): void;
  setColumns(list: string, shown: readonly string[]): void;
  setConsoleHistory(lines: readonly string[]): void;
}

/** How this browser or window likes to see things; nothing here is worth more than convenience. */
export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      navCollapsed: false,
      projectsView: 'cards',
      columns: {},
      consoleHistory: [],
      toggleNav: () => set((state) => ({ navCollapsed: !state.navCollapsed })),
      setProjectsView: (projectsView) => set({ projectsView }),
      setColumns: (list, shown) => set((state) => ({ columns: { ...state.columns, [list]: shown } })),
      setConsoleHistory: (consoleHistory) => set({ consoleHistory }),
    }),
    { name: 'planchet-preferences' },
  ),
);
