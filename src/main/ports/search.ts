import type { SearchHit, SearchKind } from '../../contract/index.ts';

export interface SearchQuery {
  /** As it was typed, without spaces around it. */
  readonly text: string;
  /** Hits of each kind, at most. */
  readonly limit: number;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** One part of the application that can be searched. */
export interface SearchSource {
  readonly kinds: readonly SearchKind[];
  /** @returns undefined if a text of this form is not what it searches for */
  find(query: SearchQuery): Promise<SearchHit[]> | undefined;
}

/** Names of some of these ids, by id. */
export type NameSource = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
