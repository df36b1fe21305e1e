import { implement, ORPCError, ValidationError } from '@orpc/server';
import type { Logger } from 'pino';
import { contract, type Failure, fieldOf, fieldProblems, PlanchetError, toFailure } from '../../../contract/index.ts';
import type { ConsoleContext } from '../context.ts';

/** Turns every exception of a handler into the contract's one typed error, so that its text does not cross the boundary. */
export const os = implement(contract)
  .$context<ConsoleContext>()
  .use(async ({ next, errors, context, path, signal }) => {
    try {
      return await next();
    } catch (error) {
      const failure = failureOf(error, { logger: context.logger, procedure: path.join('.'), signal });
      throw errors.FAILED({ message: failure.message, data: failure });
    }
  });

/** The failure to answer with. An unexpected error is logged with its stack and answered without its text. */
export function failureOf(
  error: unknown,
  { logger, procedure, signal }: { logger: Logger; procedure: string; signal: AbortSignal | undefined },
): Failure {
  if (error instanceof PlanchetError) return error.toFailure();
  if (signal?.aborted) return new PlanchetError('console.cancelled').toFailure();
  if (isRefusedInput(error)) return invalidInput(error.cause.issues);
  // Validation issues of an output name fields, not values, so they may be logged.
  const issues = error instanceof ORPCError && error.cause instanceof ValidationError ? error.cause.issues : undefined;
  logger.error({ err: error, procedure, ...(issues && { issues }) }, 'a handler failed');
  return toFailure(error);
}

type Issues = ValidationError['issues'];

function isRefusedInput(error: unknown): error is { cause: ValidationError } {
  return error instanceof ORPCError && error.code === 'BAD_REQUEST' && error.cause instanceof ValidationError;
}

function invalidInput(issues: Issues): Failure {
  const [first] = issues;
  return new PlanchetError(
    'console.input-invalid',
    { problems: fieldProblems(issues) },
    { detail: { field: first === undefined ? '' : fieldOf(first) } },
  ).toFailure();
}
