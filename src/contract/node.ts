import { z } from 'zod';
import { answerBasisSchema } from './gateway/gateway.ts';
import { procedure } from './procedure.ts';

const errorSchema = z.object({ code: z.number().int(), message: z.string() });

export const nodeContract = {
  /** One JSON-RPC call under the gateway's rules, for the console. `result` and `error` are the node's own, or `basis` names what they rest on. */
  call: procedure
    .input(z.object({ method: z.string().min(1).max(64), params: z.array(z.unknown()).max(16) }))
    .output(z.object({ result: z.unknown(), error: errorSchema.nullable(), basis: answerBasisSchema.optional() })),
};
