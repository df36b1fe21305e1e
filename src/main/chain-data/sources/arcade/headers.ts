import { z } from 'zod';
import type { BlockPlace } from '../../../ports/chain-data.ts';
import type { HeaderOperator } from '../../headers/public/header-operator.ts';
import { mapped, placeSchema, shaped, wholeHeaders } from '../answers.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';
import { operatorOf } from '../operators.ts';

const JSON_ANSWER = { kind: 'json', limitBytes: 65_536, deadlineMs: 15_000 } as const;
/** Headers of one request. */
const MOST = 1_000;

/** The stream says something each 15 seconds. */
const SILENT_MS = 45_000;

const network = z.object({ network: z.string() });

/** The headers of Arcade (Chaintracks 2), which tells of new ones by itself. @param client of Arcade's address */
export function arcadeHeaders(client: SourceClient): HeaderOperator {
  const base = '/chaintracks/v2';
  const one = async (path: string, signal: AbortSignal): Promise<SourceAnswer<BlockPlace>> =>
    shaped(await client.get(`${base}${path}`, { ...JSON_ANSWER, revalidate: path === '/tip', signal }), placeSchema);
  return {
    name: 'arcade',
    operator: operatorOf('arcade', client),
    chain: async (signal) =>
      mapped(shaped(await client.get(`${base}/network`, { ...JSON_ANSWER, signal }), network), (told) =>
        told.network.replace(/net$/, ''),
      ),
    tip: (signal) => one('/tip', signal),
    heightOf: async (hash, signal) => mapped(await one(`/header/hash/${hash}`, signal), ({ height }) => height),
    watch: async (news, signal) => {
      await client.events(`${base}/tip/stream`, { silentMs: SILENT_MS, signal, onData: news });
    },
    async headers(first, last, signal) {
      const request = { kind: 'binary', limitBytes: 131_072, deadlineMs: 60_000, signal } as const;
      const count = Math.min(MOST, last + 1 - first);
      const answer = wholeHeaders(await client.get(`${base}/headers?height=${first}&count=${count}`, request));
      return mapped(answer, (bytes) => ({ first, bytes }));
    },
  };
}
