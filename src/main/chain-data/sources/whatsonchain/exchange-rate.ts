import { z } from 'zod';
import { mapped, shaped } from '../answers.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';

const REQUEST = { kind: 'json', limitBytes: 4_096, deadlineMs: 15_000 } as const;
const exchangeRate = z.object({ rate: z.number().positive(), currency: z.string().regex(/^[A-Z]{3}$/) });

export interface ExchangeRate {
  /** ISO 4217. */
  readonly code: string;
  /** Units of the currency for one bitcoin. */
  readonly rate: number;
}

/** What one bitcoin costs, as WhatsOnChain says: nobody proves it, so it is shown and nothing is computed with it. */
export async function readExchangeRate(client: SourceClient): Promise<SourceAnswer<ExchangeRate>> {
  const answer = shaped(await client.get('/exchangerate', REQUEST), exchangeRate);
  return mapped(answer, ({ rate, currency: code }) => ({ code, rate }));
}
