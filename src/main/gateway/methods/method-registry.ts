import type { NodeCommand } from '../../../contract/index.ts';
import { type BroadcastRow, broadcastMethods } from './broadcast-methods.ts';
import type { CachePolicy, ContentRule, MethodRow } from './method-row.ts';
import { refusedMethods } from './refused-methods.ts';
import { servedMethods } from './served-methods.ts';
import { absentWithoutNode } from './without-node.ts';

/** A map, because every call looks its command up. */
const served = new Map(Object.entries(servedMethods));

/** Names of the commands the gateway serves, in the order of the table. */
export const methodNames: readonly string[] = [...served.keys()];

/** The row of a command; undefined for one the gateway does not serve. */
export function findMethod(method: string): MethodRow | undefined {
  return served.get(method);
}

/** The row of a command that is served only while the gateway sends; undefined for any other. */
export function findBroadcastMethod(method: string): BroadcastRow | undefined {
  return broadcastMethods.get(method);
}

/** Whether a call only reads, so that it may be sent again without a question. @param method a command, or `REST`, whose paths only read */
export function isRead(method: string): boolean {
  return method === 'REST' || served.has(method);
}

/** How long answers of a command may be served again. */
export function cachePolicyOf(method: string): CachePolicy {
  return served.get(method)?.cache?.policy ?? 'none';
}

/** How a cacheable answer of a command names its block; undefined if its policy is not `content`. */
export function contentRuleOf(method: string): ContentRule | undefined {
  const cache = served.get(method)?.cache;
  return cache?.policy === 'content' ? cache.rule : undefined;
}

/** Whether answers of a command name the tip or count from it, so that two of them in one batch must agree. */
export function dependsOnTip(method: string): boolean {
  const row = served.get(method);
  return row?.tip !== undefined || contentRuleOf(method) === 'hash-at-height';
}

/** Every command with the names of its parameters, for forms. */
export function listMethods(): NodeCommand[] {
  return [...served].map(([name, { parameters, summary, withoutNode }]) => ({
    name,
    summary,
    withoutNode,
    leftOut: Object.hasOwn(absentWithoutNode, name) ? [...(absentWithoutNode[name] ?? [])] : [],
    parameters: parameters.map(({ names }) => ({ name: names[0], names: [...names] })),
  }));
}

/** The message of the refusal (code -32601) of a command that is not served. @param mapiUrl of the merchant API; empty while not set */
export function unknownMethodMessage(method: string, mapiUrl: string): string {
  const sends = Object.hasOwn(refusedMethods, method) && refusedMethods[method]?.sends === true;
  if (!sends) return 'Method not found';
  const address = mapiUrl === '' ? '(set its address with mapiUrl)' : `at ${mapiUrl}/tx`;
  const message = `Method not found: this gateway does not send. Transactions go through the merchant API ${address}`;
  return broadcastMethods.has(method)
    ? `${message}, or through this gateway with the setting gatewayBroadcast`
    : message;
}
