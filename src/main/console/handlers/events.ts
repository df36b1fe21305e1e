import { failureOf, os } from './base.ts';

export const events = {
  subscribe: os.events.subscribe.handler(({ context, errors, path, signal }) =>
    context.events.subscribe(async () => {
      try {
        return await context.app.snapshot();
      } catch (error) {
        // Thrown after the answer has begun, so the common error handling cannot reach it.
        const failure = failureOf(error, { logger: context.logger, procedure: path.join('.'), signal });
        throw errors.FAILED({ message: failure.message, data: failure });
      }
    }, signal),
  ),
};
