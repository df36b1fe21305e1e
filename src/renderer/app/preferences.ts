import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface Preferences {
  navCollapsed: boolean;
  projectsView: 'table' | 'cards';
  toggleNav(): void;
  setProjectsView(view: 'table' | 'cards'): void;
}

/** How this browser or window likes to see things; nothing here is worth more than convenience. */
export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      navCollapsed: false,
      projectsView: 'cards',
      toggleNav: () => set((state) => ({ navCollapsed: !state.navCollapsed })),
      setProjectsView: (projectsView) => set({ projectsView }),
    }),
    { name: 'planchet-preferences' },
  ),
);
