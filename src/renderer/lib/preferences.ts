import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface Preferences {
  navCollapsed: boolean;
  projectsView: 'table' | 'cards';
  itemsView: 'table' | 'gallery';
  /** Keys of the visible columns, by list; a list with its default columns has no entry. */
  columns: Readonly<Record<string, readonly string[]>>;
  /** Lines run in the gateway's console by network, the newest first. */
  consoleLines: Readonly<Record<string, readonly string[]>>;
  toggleNav(): void;
  setProjectsView(view: 'table' | 'cards'): void;
  setItemsView(view: 'table' | 'gallery'): void;
  setColumns(list: string, visible: readonly string[]): void;
  setConsoleLines(network: string, lines: readonly string[]): void;
}

/** View preferences of this browser or window. Losing them costs no more than convenience. */
export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      navCollapsed: false,
      projectsView: 'cards',
      itemsView: 'gallery',
      columns: {},
      consoleLines: {},
      toggleNav: () => set((state) => ({ navCollapsed: !state.navCollapsed })),
      setProjectsView: (projectsView) => set({ projectsView }),
      setItemsView: (itemsView) => set({ itemsView }),
      setColumns: (list, visible) => set((state) => ({ columns: { ...state.columns, [list]: visible } })),
      setConsoleLines: (network, lines) =>
        set((state) => ({ consoleLines: { ...state.consoleLines, [network]: lines } })),
    }),
    { name: 'planchet-preferences' },
  ),
);
