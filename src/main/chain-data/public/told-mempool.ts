import { phrase } from '../../../contract/index.ts';
import type { ToldMempool } from '../../ports/chain-data.ts';
import type { SourceAnswer } from '../sources/http/source-client.ts';
import { noneAnswered, type Silent } from '../sources/none-answered.ts';
import type { TransactionSource } from '../sources/transaction-source.ts';

/** The mempool as the first operator tells it that does. @param sources in the order in which they are asked */
export function createToldMempool(sources: () => readonly TransactionSource[]): ToldMempool {
  async function first<T>(ask: (source: TransactionSource) => Promise<SourceAnswer<T>> | undefined): Promise<T> {
    const silent: Silent[] = [];
    for (const source of sources()) {
      const answer = await ask(source);
      if (answer?.state === 'present') return answer.value;
      silent.push({ name: source.name, reason: answer?.reason ?? phrase('reason.no-mempool') });
    }
    throw noneAnswered(silent);
  }

  return {
    figures: (signal) => first((source) => source.mempool?.(signal)),
    ids: (signal) => first((source) => source.mempoolIds?.(signal)),
  };
}
