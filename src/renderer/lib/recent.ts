import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { followOtherWindows } from './other-windows.ts';

interface Opened {
  readonly label: string;
  /** The kind, such as a block or a transaction. Missing in entries stored by an earlier version. */
  readonly kind?: string;
  /** What it belongs to. */
  readonly place: string;
  readonly to: string;
}

interface Recent {
  /** By network, newest first. */
  opened: Readonly<Record<string, readonly Opened[]>>;
  searches: Readonly<Record<string, readonly string[]>>;
  /** How often each entry of the search was chosen, by id. */
  chosen: Readonly<Record<string, number>>;
  addOpened(network: string, one: Opened): void;
  addSearch(network: string, text: string): void;
  addChosen(id: string): void;
  /** @returns restores what was cleared, below what was added since */
  clear(network: string): () => void;
}

const MAX_OPENED = 8;
const MAX_SEARCHES = 5;
/** Number of entries whose choices are counted. The one chosen longest ago is dropped. */
const MAX_CHOSEN = 200;

/** Two lists, each newest first, as one of at most so many entries. What is in both has its newer place. */
export function newestFirst<T>(
  newer: readonly T[],
  older: readonly T[],
  most: number,
  keyOf: (one: T) => unknown = (one) => one,
): readonly T[] {
  const keys = new Set(newer.map(keyOf));
  return [...newer, ...older.filter((one) => !keys.has(keyOf(one)))].slice(0, most);
}

const allOpened = (newer: readonly Opened[] = [], older: readonly Opened[] = []): readonly Opened[] =>
  newestFirst(newer, older, MAX_OPENED, ({ to }) => to);
const allSearches = (newer: readonly string[] = [], older: readonly string[] = []): readonly string[] =>
  newestFirst(newer, older, MAX_SEARCHES);

/** Counts of choices, the last one chosen at the end. */
function allChosen(newer: Recent['chosen'], older: Recent['chosen']): Recent['chosen'] {
  const counts = new Map(Object.entries(older));
  for (const [id, count] of Object.entries(newer)) {
    const before = counts.get(id) ?? 0;
    counts.delete(id);
    counts.set(id, before + count);
  }
  return Object.fromEntries([...counts].slice(-MAX_CHOSEN));
}

/** Recently opened pages and recent searches. They are stored in this browser or window only. */
export const useRecent = create<Recent>()(
  persist(
    (set, get) => ({
      opened: {},
      searches: {},
      chosen: {},
      addOpened: (network, one) =>
        set(({ opened }) => ({ opened: { ...opened, [network]: allOpened([one], opened[network]) } })),
      addSearch: (network, text) =>
        set(({ searches }) => ({ searches: { ...searches, [network]: allSearches([text], searches[network]) } })),
      addChosen: (id) => set(({ chosen }) => ({ chosen: allChosen({ [id]: 1 }, chosen) })),
      clear: (network) => {
        const { opened, searches, chosen } = get();
        set({ chosen: {}, opened: { ...opened, [network]: [] }, searches: { ...searches, [network]: [] } });
        return () =>
          set((now) => ({
            chosen: allChosen(now.chosen, chosen),
            opened: { ...now.opened, [network]: allOpened(now.opened[network], opened[network]) },
            searches: { ...now.searches, [network]: allSearches(now.searches[network], searches[network]) },
          }));
      },
    }),
    { name: 'planchet-recent' },
  ),
);

followOtherWindows(useRecent);
