import { ORPCError } from '@orpc/server';
import { PlanchetError } from '../../contract/index.ts';

const failure = new PlanchetError('console.encoding-unknown').toFailure();

/** Gives a request that cannot even be decoded the shape of every other failure. Goes around a transport's handler. */
export async function refuseMalformed<T>({ next }: { next: () => Promise<T> }): Promise<T> {
  try {
    return await next();
  } catch (error) {
    // Procedures fail with an ORPCError only; anything else was thrown while the input was decoded.
    if (error instanceof ORPCError) throw error;
    throw new ORPCError('FAILED', { defined: true, status: 422, message: failure.message, data: failure });
  }
}
