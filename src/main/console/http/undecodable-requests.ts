import { ORPCError } from '@orpc/server';
import { PlanchetError } from '../../../contract/index.ts';

const failure = new PlanchetError('console.encoding-unknown').toFailure();

/** Answers a request that cannot be decoded with a failure like any other. Wraps a transport's handler. */
export async function refuseUndecodable<T>({ next }: { next: () => Promise<T> }): Promise<T> {
  try {
    return await next();
  } catch (error) {
    // Procedures fail with an ORPCError only; anything else was thrown while the input was decoded.
    if (error instanceof ORPCError) throw error;
    throw new ORPCError('FAILED', { defined: true, status: 422, message: failure.message, data: failure });
  }
}
