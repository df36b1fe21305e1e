import { type Item, type MintJob, mintStates } from '../../../contract/index.ts';
import type { Ownership } from './use-ownership.ts';

export interface ProvenanceStep {
  readonly kind: 'signed' | 'sent' | 'mined' | 'proven' | 'held' | 'moved';
  /** Milliseconds since 1970-01-01 UTC; undefined where nobody has written it down. */
  readonly at?: number | undefined;
  readonly address?: string | undefined;
  readonly block?: { height: number; hash: string | null } | undefined;
}

type Job = Pick<MintJob, 'destination' | 'history' | 'blockHeight' | 'blockHash' | 'proof'>;

/**
 * What is known of a token from its mint to now, in order.
 * @param job the mint it comes from; undefined where it cannot be read
 */
export function provenanceOf(item: Pick<Item, 'state'>, job: Job | undefined, ownership: Ownership): ProvenanceStep[] {
  const reached = (state: MintJob['state']): number | undefined =>
    job?.history.findLast((one) => one.state === state)?.at;
  const steps: ProvenanceStep[] = [];
  const address = job?.destination ?? ownership.address ?? undefined;
  if (mintStates.is(item.state, 'submitted')) {
    steps.push({ kind: 'sent', at: reached('submitted') ?? reached('seen'), address });
  } else {
    steps.push({ kind: 'signed', at: reached('signed'), address });
  }
  if (mintStates.is(item.state, 'mined')) {
    const block =
      job === undefined || job.blockHeight === null ? undefined : { height: job.blockHeight, hash: job.blockHash };
    steps.push({ kind: 'mined', at: reached('mined'), block });
  }
  if (item.state === 'proven') steps.push({ kind: 'proven', at: job?.proof?.verifiedAt ?? reached('proven') });
  if (ownership.spent === true) steps.push({ kind: 'moved' });
  if (ownership.spent === false) steps.push({ kind: 'held', address: ownership.address ?? undefined });
  return steps;
}
