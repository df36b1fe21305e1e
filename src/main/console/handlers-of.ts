import { type AnyContractRouter, isContractProcedure } from '@orpc/contract';
import type { AnyProcedure, Router } from '@orpc/server';
import type { ConsoleContext } from './context.ts';

interface ImplementedProcedure {
  handler(handle: (call: { context: ConsoleContext; input: unknown; signal?: AbortSignal }) => unknown): AnyProcedure;
}

type Method = (...given: unknown[]) => unknown;

/**
 * Handlers of a part of the contract: each calls the method of its procedure's name.
 * @param implementer what implements this part: `os`, or a part of it
 * @param serverOf gives the object with the methods
 */
export function handlersOf<Part extends AnyContractRouter>(
  part: Part,
  implementer: object,
  serverOf: (context: ConsoleContext) => unknown,
): Router<Part, ConsoleContext> {
  const handlers = Object.entries(part).map(([name, child]) => {
    const own: object = Reflect.get(implementer, name);
    if (!isContractProcedure(child))
      return [name, handlersOf(child, own, async (context) => Reflect.get((await serverOf(context)) as object, name))];
    const hasInput = child['~orpc'].inputSchema !== undefined;
    const handler = (own as ImplementedProcedure).handler(async ({ context, input, signal }) => {
      const server = (await serverOf(context)) as Record<string, Method>;
      return hasInput ? (server[name] as Method)(input, signal) : (server[name] as Method)(signal);
    });
    return [name, handler];
  });
  return Object.fromEntries(handlers);
}
