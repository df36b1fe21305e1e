import { useEffect } from 'react';
import { create } from 'zustand';
import { client } from './client.ts';
import { useNetwork } from './live/live-store.ts';

/** The largest number of ids that the host allows in one request. */
const MAX_IDS = 200;
/** Names are read again after this time, since a label may have been added. */
const FRESH_MS = 30_000;

interface KnownName {
  /** Empty if it has none. */
  readonly name: string;
  /** Time of the request. */
  readonly at: number;
}

/** Names of ids, by network and id. */
const useNames = create<Readonly<Record<string, KnownName>>>(() => ({}));

let waiting = new Map<string, string>();
/** Increased when all names are cleared, so that the reply to a running request is not stored. */
let generation = 0;

/** Sends one request for all ids that were rendered together. */
async function ask(): Promise<void> {
  const began = generation;
  const asked = [...waiting].slice(-MAX_IDS);
  waiting = new Map();
  const names = await client.search.names({ ids: asked.map(([, id]) => id) }).catch(() => undefined);
  if (names === undefined || began !== generation) return;
  const at = Date.now();
  useNames.setState(Object.fromEntries(asked.map(([key, id]) => [key, { name: names[id] ?? '', at }])));
}

/** The name that a person gave a txid, an outpoint or an address; undefined if none is known. @param id undefined sends no request */
export function useKnownName(id: string | undefined): string | undefined {
  const network = useNetwork();
  const key = `${network} ${id ?? ''}`;
  const name = useNames((names) => names[key]?.name);
  useEffect(() => {
    if (id === undefined) return;
    const known = useNames.getState()[key];
    if (known !== undefined && Date.now() - known.at < FRESH_MS) return;
    if (waiting.size === 0) queueMicrotask(() => void ask());
    waiting.set(key, id);
  }, [id, key]);
  return name === '' ? undefined : name;
}

/** Clears all names, for tests. */
export function forgetNames(): void {
  generation += 1;
  waiting = new Map();
  useNames.setState({}, true);
}
