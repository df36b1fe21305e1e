import { create } from 'zustand';

/** Whether the search is open. */
export const useSearchOpen = create<{ opened: boolean }>(() => ({ opened: false }));

export function openSearch(): void {
  useSearchOpen.setState({ opened: true });
}

export function closeSearch(): void {
  useSearchOpen.setState({ opened: false });
}
