import { z } from 'zod';
import { mapped, shaped } from '../answers.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';
import type { HistoryRow, HistorySource } from '../transaction-source.ts';

/** Owners that one request names: of many, it does not say whose an output is. */
const OWNERS = 10;
/** A hundred thousand outputs. It is a stream of events that ends, so it is read like a file. */
const STREAM = { kind: 'text', limitBytes: 16_000_000, deadlineMs: 120_000 } as const;
/** A cursor counts blocks, or billionths of them. */
const SCORES_A_BLOCK = 1e9;

const id = /^[0-9a-f]{64}$/;
const row = z.object({
  outpoint: z.string().regex(/^[0-9a-f]{64}[._]\d{1,9}$/),
  score: z.number().min(0),
  spendTxid: z.string().regex(id).nullish(),
});

/**
 * What the 1Sat index has of owners, inscriptions among it, whose scripts are none of an address (public-services.md 3.4): the transactions of
 * their outputs and what spends those. It finds; it does not say that there is nothing else. @param client of `…/1sat`
 */
export function oneSatOutputs(client: SourceClient): HistorySource {
  async function some(addresses: readonly string[], signal?: AbortSignal): Promise<SourceAnswer<HistoryRow[]>> {
    const owners = addresses.map((address) => `owner=${address}`).join('&');
    const answer = await client.get(`/owner/sync?${owners}&from=0`, { ...STREAM, ...(signal && { signal }) });
    const events = shaped(mapped(answer, eventsOf), z.array(row));
    return mapped(events, (outputs) =>
      outputs.flatMap(({ outpoint, score, spendTxid }) => {
        const height = Math.floor(score >= SCORES_A_BLOCK ? score / SCORES_A_BLOCK : score);
        const txids = [outpoint.slice(0, 64), ...(spendTxid ? [spendTxid] : [])];
        return txids.flatMap((txid) => addresses.map((address) => ({ address, txid, height })));
      }),
    );
  }

  return {
    name: 'onesat',
    operator: 'GorillaPool',
    findsOnly: true,
    async history(addresses, signal) {
      const rows: HistoryRow[] = [];
      let answer: SourceAnswer<HistoryRow[]> = { state: 'unknown', reason: 'no address' };
      for (let at = 0; at < addresses.length; at += OWNERS) {
        answer = await some(addresses.slice(at, at + OWNERS), signal);
        if (answer.state !== 'present') return answer;
        rows.push(...answer.value);
      }
      return mapped(answer, () => rows);
    },
  };
}

/** The data of a stream that came to its end; null, which has no shape, for one that did not, or that tells of an error. */
function eventsOf(stream: string): unknown[] | null {
  const events = stream.split(/\r?\n\r?\n/).map((event) => {
    const lines = event.split(/\r?\n/);
    const field = (name: string): string | undefined =>
      lines
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim();
    return { name: field('event'), data: field('data') };
  });
  if (!events.some(({ name }) => name === 'done') || events.some(({ name }) => name === 'error')) return null;
  try {
    return events.flatMap(({ name, data }) => (name === undefined && data ? [JSON.parse(data) as unknown] : []));
  } catch {
    return null;
  }
}
