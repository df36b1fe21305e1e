import { create } from 'zustand';

export const useSearchOpen = create<{ opened: boolean }>(() => ({ opened: false }));

export function openSearch(): void {
  useSearchOpen.setState({ opened: true });
}

export function closeSearch(): void {
  useSearchOpen.setState({ opened: false });
}
