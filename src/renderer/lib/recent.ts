import { create } from 'zustand';
import { persist } from 'zustand/middleware';

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
  /** @returns restores what was cleared */
  clear(network: string): () => void;
}

const MAX_OPENED = 8;
const MAX_SEARCHES = 5;
/** Number of entries whose choices are counted. The one chosen longest ago is dropped. */
const MAX_CHOSEN = 200;

/** Recently opened pages and recent searches. They are stored in this browser or window only. */
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
