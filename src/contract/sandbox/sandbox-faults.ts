import type { SandboxFault } from './sandbox.ts';

// Apart from the schemas: the page needs it from its start, and loads the schema library later.
/** Whether a fault keeps the sandbox's node from answering in time, so that what asks the node cannot do its work. */
export function breaksNode({ name, area }: SandboxFault): boolean {
  const unanswered = name === 'latency' || name === 'http-error' || name === 'drop-connection';
  return unanswered && (area === 'all' || area === 'rpc');
}
