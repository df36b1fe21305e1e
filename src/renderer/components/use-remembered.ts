import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useLive } from '../api/live/live-store.ts';
import { shortenId } from '../lib/format.ts';
import { useRecent } from '../lib/recent.ts';
import type { Crumb } from './breadcrumbs.tsx';

/** The last part of the address of a single thing. Addresses of other pages end in a word. */
const ID = /^[\w.-]{10,}$/;

/** Adds the page of a single thing to the recent pages of the search, once it has a title. */
export function useRemembered(title: string, crumbs: readonly Crumb[]): void {
  const [location] = useLocation();
  const network = useLive((state) => state.app?.network);
  const parent = crumbs.at(-1)?.label;
  useEffect(() => {
    const id = location.split('/').at(-1) ?? '';
    if (network === undefined || parent === undefined || title === '…' || !ID.test(id)) return;
    const { opened, addOpened } = useRecent.getState();
    const known = opened[network]?.find(({ to }) => to === location);
    // The search has a better name for it.
    addOpened(network, known ?? { label: title, place: `${parent} · ${shortenId(id, 6)}`, to: location });
  }, [title, parent, network, location]);
}
