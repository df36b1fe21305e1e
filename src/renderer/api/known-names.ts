import { useEffect } from 'react';
import { create } from 'zustand';
import { client } from './client.ts';
import { useNetwork } from './live/live-store.ts';

/** Ids asked for at once, as the host allows. */
const MAX_IDS = 200;
/** A label may have been given since. */
const FRESH_MS = 30_000;

interface KnownName {
  /** Empty where it has none. */
  readonly name: string;
  /** When it was asked for. */
  readonly at: number;
}

/** Names of ids, by network and id. */
const useNames = create<Readonly<Record<string, KnownName>>>(() => ({}));

let waiting = new Map<string, string>();
/** Rises when all is forgotten, so that an answer on its way is not kept. */
let generation = 0;

/** Asks once for all ids that were drawn together. */
async function ask(): Promise<void> {
  const began = generation;
  const asked = [...waiting].slice(-MAX_IDS);
  waiting = new Map();
  const names = await client.search.names({ ids: asked.map(([, id]) => id) }).catch(() => undefined);
  if (names === undefined || began !== generation) return;
  const at = Date.now();
  useNames.setState(Object.fromEntries(asked.map(([key, id]) => [key, { name: names[id] ?? '', at }])));
}

/** What a person calls a txid, an outpoint or an address; undefined while nothing is known. @param id undefined asks for nothing */
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

/** Forgets all names, as between two tests. */
export function forgetNames(): void {
  generation += 1;
  waiting = new Map();
  useNames.setState({}, true);
}
