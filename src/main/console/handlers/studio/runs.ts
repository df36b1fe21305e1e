import { os } from '../base.ts';

export const runs = {
  plan: os.runs.plan.handler(({ context, input }) => context.studio.runs.plan(input)),
  create: os.runs.create.handler(({ context, input }) => context.studio.runs.create(input)),
  get: os.runs.get.handler(({ context, input }) => context.studio.runs.get(input.id)),
  list: os.runs.list.handler(({ context, input }) => context.studio.runs.list(input)),
  items: os.runs.items.handler(({ context, input }) => context.studio.runs.items(input)),
  approve: os.runs.approve.handler(({ context, input }) => context.studio.runs.approve(input.id, input.digest)),
  pause: os.runs.pause.handler(({ context, input }) => context.studio.runs.pause(input.id)),
  resume: os.runs.resume.handler(({ context, input }) => context.studio.runs.resume(input.id)),
  cancel: os.runs.cancel.handler(({ context, input }) => context.studio.runs.cancel(input.id)),
  retry: os.runs.retry.handler(({ context, input }) => context.studio.runs.retry(input.id, input.jobId)),
};
