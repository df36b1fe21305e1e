import { errorCodes, type LastAnswer } from '../../../contract/index.ts';

/** What a miner made of a transaction. `failed`: it gave no usable answer, and the status is an error code of Planchet. */
export function verdictOf({
  accepted,
  status,
}: Pick<LastAnswer, 'accepted' | 'status'>): 'accepted' | 'refused' | 'failed' {
  if (accepted) return 'accepted';
  return (errorCodes as readonly string[]).includes(status) ? 'failed' : 'refused';
}
