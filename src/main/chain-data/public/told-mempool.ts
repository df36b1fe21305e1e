import { PlanchetError } from '../../../contract/index.ts';
import type { ToldMempool } from '../../ports/chain-data.ts';
import type { SourceAnswer } from '../sources/http/source-client.ts';
import type { TransactionSource } from '../sources/transaction-source.ts';

/** The mempool as the first operator tells it that does. @param sources in the order in which they are asked */
export function createToldMempool(sources: () => readonly TransactionSource[]): ToldMempool {
  async function first<T>(ask: (source: TransactionSource) => Promise<SourceAnswer<T>> | undefined): Promise<T> {
    const reasons: string[] = [];
    for (const source of sources()) {
      const answer = await ask(source);
      if (answer?.state === 'present') return answer.value;
      reasons.push(`${source.name}: ${answer?.reason ?? 'it does not tell of its mempool'}`);
    }
    throw new PlanchetError('chain.sources-unavailable', { reasons: reasons.join('; ') });
  }

  return {
    figures: (signal) => first((source) => source.mempool?.(signal)),
    ids: (signal) => first((source) => source.mempoolIds?.(signal)),
  };
}
