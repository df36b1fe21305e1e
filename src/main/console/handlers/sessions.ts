import { PlanchetError } from '../../../contract/index.ts';
import { os } from './base.ts';

export const sessions = {
  list: os.sessions.list.handler(({ context }) => ({
    sessions: context.sessions.list(),
    current: context.session ?? null,
    lockAfter: context.lockAfter(),
  })),
  end: os.sessions.end.handler(({ context, input }) => {
    if (!context.sessions.end(input.id)) throw new PlanchetError('console.session-missing');
  }),
  endOthers: os.sessions.endOthers.handler(({ context }) => ({ ended: context.sessions.endOthers(context.session) })),
  lock: os.sessions.lock.handler(({ context }) => {
    if (context.session !== undefined) context.sessions.end(context.session);
  }),
};
