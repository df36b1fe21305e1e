import type { MintState } from '../../../../contract/index.ts';
import type { JobRow } from '../../tables.ts';
import { buildStep } from './building/build.ts';
import { uploadStep } from './building/upload.ts';
import { minedStep } from './following/follow-mined.ts';
import { seenStep } from './following/follow-seen.ts';
import { provenStep } from './following/prove.ts';
import { reviewStep } from './review.ts';
import { signStep } from './sign.ts';
import type { StepContext, StepOutcome } from './step-context.ts';
import { submitStep } from './submit.ts';

export type Step = (ctx: StepContext, job: JobRow) => Promise<StepOutcome>;

/**
 * The step that leaves each state, in order. A step may run again after a crash at any point, so each one first finds out what an earlier
 * attempt left behind.
 */
export const steps: Readonly<Partial<Record<MintState, Step>>> = {
  draft: uploadStep,
  uploaded: buildStep,
  built: reviewStep,
  reviewed: signStep,
  signed: submitStep,
  submitted: seenStep,
  seen: minedStep,
  mined: provenStep,
};
