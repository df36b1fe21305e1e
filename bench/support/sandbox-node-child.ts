/** The sandbox's node behind its RPC port, in a process of its own. */
import { startSandboxUpstream } from '../../src/main/gateway/test-support/sandbox-upstream.ts';

const { port, node } = await startSandboxUpstream();
process.send?.({ port, hash: node.tip().hash });
process.on('disconnect', () => process.exit(0));
