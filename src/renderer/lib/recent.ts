import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface Opened {
  readonly label: string;
  /** What it is: a block, a transaction; missing in what an earlier version stored. */
  readonly kind?: string;
  /** Where it belongs. */
  readonly place: string;
  readonly to: string;
}

interface Recent {
  /** By network, the newest first. */
  opened: Readonly<Record<string, readonly Opened[]>>;
  searches: Readonly<Record<string, readonly string[]>>;
  /** How often each entry of the search was chosen, by its id. */
  chosen: Readonly<Record<string, number>>;
  addOpened(network: string, one: Opened): void;
  addSearch(network: string, text: string): void;
  addChosen(id: string): void;
  /** @returns what brings it back */
  clear(network: string): () => void;
}

const MAX_OPENED = 8;
const MAX_SEARCHES = 5;
/** Entries whose choices are counted; the one that was not chosen for longest makes room. */
const MAX_CHOSEN = 200;

/** What was opened and searched last in this browser or window. It never leaves it. */
export const useRecent = create<Recent>()(
  persist(
    (set, get) => ({
      opened: {},
      searches: {},
      chosen: {},
      addOpened: (network, one) =>
        set(({ opened }) => {
          const others = (opened[network] ?? []).filter(({ to }) => to !== one.to);
          return { opened: { ...opened, [network]: [one, ...others].slice(0, MAX_OPENED) } };
        }),
      addSearch: (network, text) =>
        set(({ searches }) => {
          const others = (searches[network] ?? []).filter((other) => other !== text);
          return { searches: { ...searches, [network]: [text, ...others].slice(0, MAX_SEARCHES) } };
        }),
      addChosen: (id) =>
        set(({ chosen: { [id]: before = 0, ...others } }) => ({
          chosen: Object.fromEntries([...Object.entries(others), [id, before + 1]].slice(-MAX_CHOSEN)),
        })),
      clear: (network) => {
        const put = (opened: readonly Opened[], searches: readonly string[], chosen: Recent['chosen']): void => {
          set((all) => ({
            chosen,
            opened: { ...all.opened, [network]: opened },
            searches: { ...all.searches, [network]: searches },
          }));
        };
        const { opened, searches, chosen } = get();
        put([], [], {});
        return () => put(opened[network] ?? [], searches[network] ?? [], chosen);
      },
    }),
    { name: 'planchet-recent' },
  ),
);
