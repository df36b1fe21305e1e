import { PlanchetError } from '../../../contract/index.ts';
import type { ConsoleContext, TokenBenchPort } from '../context.ts';
import { os } from './base.ts';

export const tokenBench = {
  overview: os.tokenBench.overview.handler(({ context }) => required(context).overview()),
  prepare: os.tokenBench.prepare.handler(({ context, input }) => required(context).prepare(input)),
  get: os.tokenBench.get.handler(({ context, input }) => required(context).get(input.id)),
  approve: os.tokenBench.approve.handler(({ context, input }) => required(context).approve(input)),
  cancel: os.tokenBench.cancel.handler(({ context, input }) => required(context).cancel(input)),
  retry: os.tokenBench.retry.handler(({ context, input }) => required(context).retry(input)),
  history: os.tokenBench.history.handler(({ context, input }) => required(context).history(input)),
};

function required({ tokenBench: port }: ConsoleContext): TokenBenchPort {
  if (port !== undefined) return port;
  throw new PlanchetError('console.token-bench-missing');
}
