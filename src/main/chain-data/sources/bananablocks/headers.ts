import type { HeaderOperator } from '../../headers/public/header-operator.ts';
import { JSON_ANSWER, mapped, placeSchema, shaped, wholeHeaders } from '../answers.ts';
import type { SourceClient } from '../http/source-client.ts';
import { operatorOf } from '../operators.ts';

/** Headers of one request. */
const CHUNK = 2_016;

/** The headers of BananaBlocks, in chunks of any place. It does not name its chain. @param client of `…/api/v1` */
export function bananaBlocksHeaders(client: SourceClient): HeaderOperator {
  return {
    name: 'bananablocks',
    operator: operatorOf('bananablocks', client),
    tip: async (signal) =>
      shaped(await client.get('/block/tip', { ...JSON_ANSWER, revalidate: true, signal }), placeSchema),
    async headers(first, last, signal) {
      const request = { kind: 'binary', limitBytes: 262_144, deadlineMs: 60_000, signal } as const;
      const to = Math.min(last, first + CHUNK - 1);
      const answer = wholeHeaders(await client.get(`/block/headers/${first}-${to}`, request));
      return mapped(answer, (bytes) => ({ first, bytes }));
    },
  };
}
