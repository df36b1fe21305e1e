import { z } from 'zod';
import { timestampSchema } from './common.ts';
import { procedure } from './procedure.ts';

export const sessionSchema = z.object({
  /** Identifies the session; not a secret. */
  id: z.string(),
  /** Such as "Firefox (Linux)"; empty if the browser does not say. */
  browser: z.string(),
  since: timestampSchema,
  lastSeen: timestampSchema,
  /** When it ends, unless it is used before. */
  expiresAt: timestampSchema,
});
export type Session = z.infer<typeof sessionSchema>;

export const sessionsContract = {
  list: procedure.output(
    z.object({
      /** Last used first. */
      sessions: z.array(sessionSchema),
      /** The session of the request; null for the window and the command line, which need none. */
      current: z.string().nullable(),
      /** Milliseconds without a key or a click after which a page locks itself; 0 never. */
      lockAfter: z.number().int(),
    }),
  ),
  /** Ends a session at once, including running responses. @throws `not-found` */
  end: procedure.input(z.object({ id: z.string().min(1).max(64) })).output(z.void()),
  /** Ends all sessions but that of the request. */
  endOthers: procedure.output(z.object({ ended: z.number().int() })),
  /** Ends the session of the request. Its page shows nothing until it is opened by a new link. */
  lock: procedure.output(z.void()),
};
