import { ORPCError } from '@orpc/client';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/fetch';
import { contract, type Failure } from '../../contract/index.ts';
import type { Client } from '../api/client.ts';

type Procedures<T> = {
  [K in keyof T]?: T[K] extends (input: infer I, ...rest: never) => Promise<infer O>
    ? (input: NonNullable<I>) => O | Promise<O>
    : Procedures<T[K]>;
};

/** Replies of a test's host, by the names of the contract. A missing procedure is reported as unknown. */
export type HostAnswers = Procedures<Client>;

interface Implementer {
  handler(answer: (call: { input: unknown }) => unknown): unknown;
}

function implementAll(answers: object, implementers: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => {
      const at = (implementers as Record<string, object>)[name] as object;
      if (typeof answer !== 'function') return [name, implementAll(answer as object, at)];
      return [name, (at as Implementer).handler(({ input }) => answer(input))];
    }),
  );
}

/** A refusal as the host sends it. */
export function refusal(failure: Failure): ORPCError<'FAILED', Failure> {
  return new ORPCError('FAILED', { defined: true, status: 422, message: failure.message, data: failure });
}

let answering: RPCHandler<Record<never, never>> | undefined;

/**
 * Replaces the host behind `fetch`. The real contract is used, so the replies of a test are validated like the host's own.
 * Active until `stopFakeHost`.
 */
export function startFakeHost(answers: HostAnswers): void {
  // The router holds only the replies of the test, so it has no type of its own.
  answering = new RPCHandler(implementAll(answers, implement(contract)) as never);
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const cancelled = new Promise<never>((_, reject) => {
      request.signal.addEventListener('abort', () =>
        reject(new DOMException('The request was cancelled.', 'AbortError')),
      );
    });
    const result = await Promise.race([answering?.handle(request, { prefix: '/api', context: {} }), cancelled]);
    return result?.matched === true ? result.response : new Response('', { status: 404 });
  };
}

const realFetch = globalThis.fetch;

export function stopFakeHost(): void {
  answering = undefined;
  globalThis.fetch = realFetch;
}
