import type { MinerAnswer } from '../../contract/index.ts';
import type { MinerVerdict, NamedMiner } from '../ports/merchant/miners.ts';

/** A miner's verdict as histories and results show it. */
export function answerOf(
  { id, name, kind }: NamedMiner,
  request: MinerAnswer['request'],
  { status, word, reason }: MinerVerdict,
  at: number,
): MinerAnswer {
  const accepted = !['rejected', 'unclear', 'unknown', 'evicted'].includes(status);
  return { minerId: id, name, kind, at, request, status: word, accepted, reason };
}
