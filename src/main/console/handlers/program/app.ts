import { os } from '../base.ts';

export const app = {
  info: os.app.info.handler(({ context }) => context.app.info()),
  snapshot: os.app.snapshot.handler(({ context }) => context.app.snapshot()),
  createLink: os.app.createLink.handler(({ context }) => ({ url: context.app.createLink() })),
  dismissNotice: os.app.dismissNotice.handler(({ context, input }) => context.app.dismissNotice(input.id)),
  welcomed: os.app.welcomed.handler(({ context }) => context.app.welcomed()),
  setTheme: os.app.setTheme.handler(({ context, input }) => context.app.setTheme(input.theme)),
};
