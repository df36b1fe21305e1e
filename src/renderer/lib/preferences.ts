import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { NetworkUse } from '../../contract/index.ts';
import { followOtherWindows } from './other-windows.ts';

export type TileSize = 'small' | 'medium' | 'large';

interface Preferences {
  navCollapsed: boolean;
  projectsView: 'table' | 'cards';
  itemsView: 'table' | 'gallery';
  tileSize: TileSize;
  /** Keys of the visible columns by list. A list with its default columns has no entry. */
  columns: Readonly<Record<string, readonly string[]>>;
  /** Lines run in the gateway's console by network, newest first. */
  consoleLines: Readonly<Record<string, readonly string[]>>;
  /** What networks other than the sandbox are used for. */
  networkUse: NetworkUse;
  toggleNav(): void;
  setProjectsView(view: 'table' | 'cards'): void;
  setItemsView(view: 'table' | 'gallery'): void;
  setTileSize(size: TileSize): void;
  setColumns(list: string, visible: readonly string[]): void;
  setConsoleLines(network: string, lines: readonly string[]): void;
  setNetworkUse(use: NetworkUse): void;
}

/** View preferences, stored in this browser or window. */
export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      navCollapsed: false,
      projectsView: 'cards',
      itemsView: 'gallery',
      tileSize: 'medium',
      columns: {},
      consoleLines: {},
      networkUse: 'mint',
      toggleNav: () => set((state) => ({ navCollapsed: !state.navCollapsed })),
      setProjectsView: (projectsView) => set({ projectsView }),
      setItemsView: (itemsView) => set({ itemsView }),
      setTileSize: (tileSize) => set({ tileSize }),
      setColumns: (list, visible) => set((state) => ({ columns: { ...state.columns, [list]: visible } })),
      setConsoleLines: (network, lines) =>
        set((state) => ({ consoleLines: { ...state.consoleLines, [network]: lines } })),
      setNetworkUse: (networkUse) => set({ networkUse }),
    }),
    { name: 'planchet-preferences' },
  ),
);

followOtherWindows(usePreferences);
