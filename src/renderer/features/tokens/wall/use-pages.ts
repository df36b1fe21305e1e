import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { TokenCard, TokenFilter } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import type { Tiles } from '../../../components/tiles/tile-selection.ts';

/** Tokens that are fetched at once. */
const PAGE = 100;
/** The host reads received tokens a few at a time, and one that the node did not give it at the next time it is asked. */
const READ_AGAIN_MS = 2_000;

/** The tokens that fit a filter, in pages: only those in sight are fetched. */
export interface TokenPages {
  readonly total: number;
  /** Undefined while its page is on its way. */
  at(index: number): TokenCard | undefined;
  /** Place of a token among those fetched; -1 where it is not among them. */
  indexOf(outpoint: string): number;
}

/** Selects the pages that are fetched from now on, by the first and the last visible place. */
export type Look = (first: number, last: number) => void;

function queryOf(asked: TokenFilter, page: number) {
  return api.tokens.list.queryOptions({
    input: { ...asked, offset: page * PAGE, limit: PAGE },
    refetchInterval: ({ state }) => (state.data?.tokens.some(({ read }) => !read) ? READ_AGAIN_MS : false),
  });
}

/** The first page with the number of all, and the pages that were looked at last. */
export function useTokenPages(asked: TokenFilter) {
  const [{ from, to }, setPages] = useState({ from: 0, to: 0 });
  const first = useQuery({ ...queryOf(asked, 0), placeholderData: keepPreviousData });
  const numbers = Array.from({ length: to - from + 1 }, (_, n) => from + n).filter((page) => page > 0);
  const further = useQueries({ queries: numbers.map((page) => queryOf(asked, page)) });
  const look = useCallback<Look>((start, end) => {
    const next = { from: Math.floor(start / PAGE), to: Math.floor(Math.max(start, end) / PAGE) };
    setPages((now) => (now.from === next.from && now.to === next.to ? now : next));
  }, []);
  const queries = useQueryClient();
  const known = useRef<TokenPages>(undefined);
  const idsBetween = useCallback<Tiles['idsBetween']>(
    async (start, end) => {
      const near = Array.from({ length: Math.min(end - start + 1, PAGE) }, (_, n) => known.current?.at(start + n));
      if (end - start < PAGE && near.every((token) => token !== undefined))
        return near.flatMap(({ owned, outpoint }) => (owned ? [outpoint] : []));
      // What is in the wallet comes first in every order, so its places are those of the list.
      const { outpoints } = await queries.fetchQuery(api.tokens.outpoints.queryOptions({ input: asked }));
      return outpoints.slice(start, end + 1);
    },
    [asked, queries],
  );
  const data = first.data;
  if (data === undefined) return { pages: undefined, look, idsBetween, query: first };
  const fetched = new Map([[0, data.tokens]]);
  for (const [n, page] of numbers.entries()) {
    const tokens = further[n]?.data?.tokens;
    if (tokens !== undefined) fetched.set(page, tokens);
  }
  const pages: TokenPages = {
    total: data.total,
    at: (index) => fetched.get(Math.floor(index / PAGE))?.[index % PAGE],
    indexOf: (outpoint) => {
      for (const [page, tokens] of fetched) {
        const place = tokens.findIndex((token) => token.outpoint === outpoint);
        if (place >= 0) return page * PAGE + place;
      }
      return -1;
    },
  };
  known.current = pages;
  return { pages, look, idsBetween, query: first };
}
