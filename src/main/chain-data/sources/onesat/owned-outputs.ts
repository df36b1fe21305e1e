import { z } from 'zod';
import { hashSchema, phrase } from '../../../../contract/index.ts';
import { pause } from '../../../pause.ts';
import { inParts } from '../answers.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';
import { operatorOf } from '../operators.ts';
import type { AddressHistory, HistorySource } from '../transaction-source.ts';

/** Owners that one request names: of many, it does not say whose an output is. */
const OWNERS = 10;
/** A hundred thousand outputs. It is a stream of events that ends, so it is read like a file. */
const STREAM = { kind: 'text', limitBytes: 16_000_000, deadlineMs: 120_000 } as const;
/** Characters of one output in it. */
const LONGEST_ROW = 1_024;
/** Bound of the transactions of one answer: each is looked up. */
const MOST_TRANSACTIONS = 20_000;
/** A cursor counts blocks, or billionths of them. */
const SCORES_A_BLOCK = 1e9;

const row = z.object({
  outpoint: z.string().regex(/^[0-9a-f]{64}[._]\d{1,9}$/),
  score: z.number().min(0),
  spendTxid: hashSchema.nullish(),
});

/**
 * What the 1Sat index has of owners, inscriptions among it, whose scripts are none of an address (public-services.md 3.4): the transactions of
 * their outputs and what spends those. It finds; it does not say that there is nothing else. @param client of `…/1sat`
 */
export function oneSatOutputs(client: SourceClient): HistorySource {
  async function ownedBy(addresses: readonly string[], signal?: AbortSignal): Promise<SourceAnswer<AddressHistory[]>> {
    const owners = addresses.map((address) => `owner=${address}`).join('&');
    const answer = await client.get(`/owner/sync?${owners}&from=0`, { ...STREAM, signal });
    if (answer.state !== 'present') return answer;
    const heights = await transactionsOf(answer.value);
    if (heights === undefined)
      return { state: 'unavailable', reason: phrase('reason.other-shape'), status: answer.status };
    const rowsOf = (address: string) => [...heights].map(([txid, height]) => ({ address, txid, height }));
    return { ...answer, value: addresses.map((address) => ({ address, rows: rowsOf(address) })) };
  }

  return {
    name: 'onesat',
    operator: operatorOf('onesat', client),
    findsOnly: true,
    history: (addresses, signal) => inParts(addresses, OWNERS, (some) => ownedBy(some, signal)),
  };
}

/**
 * The transactions that a stream names, with their heights. It is read in turns, because it is long.
 * @returns undefined for one that did not come to its end, that tells of an error, or that has another shape
 */
async function transactionsOf(stream: string): Promise<Map<string, number> | undefined> {
  const heights = new Map<string, number>();
  let isDone = false;
  let name: string | undefined;
  let data: string | undefined;
  for (let at = 0; at < stream.length; ) {
    const end = stream.indexOf('\n', at);
    const line = stream.slice(at, end < 0 ? stream.length : end).replace(/\r$/, '');
    at = end < 0 ? stream.length : end + 1;
    if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('data:')) data = line.slice(5).trim();
    if (line !== '' && at < stream.length) continue;
    if (name === 'error') return undefined;
    if (name === 'done') isDone = true;
    else if (name === undefined && data) {
      const read = data.length > LONGEST_ROW ? undefined : row.safeParse(jsonOf(data)).data;
      if (read === undefined || heights.size > MOST_TRANSACTIONS) return undefined;
      const { outpoint, score, spendTxid } = read;
      const height = Math.floor(score >= SCORES_A_BLOCK ? score / SCORES_A_BLOCK : score);
      heights.set(outpoint.slice(0, 64), height);
      // that of the output: when it was spent is not told
      if (spendTxid && !heights.has(spendTxid)) heights.set(spendTxid, height);
    }
    name = undefined;
    data = undefined;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return isDone ? heights : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
