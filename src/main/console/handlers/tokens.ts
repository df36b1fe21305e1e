import { os } from './base.ts';

export const tokens = {
  list: os.tokens.list.handler(({ context, input }) => context.studio.gallery.list(input)),
  get: os.tokens.get.handler(({ context, input }) => context.studio.gallery.get(input)),
  ledger: os.tokens.ledger.handler(({ context, input }) => context.studio.gallery.ledger(input)),
  exportLedger: os.tokens.exportLedger.handler(({ context, input }) => context.studio.gallery.exportLedger(input)),
  bundle: os.tokens.bundle.handler(({ context, input }) => context.studio.gallery.bundle(input)),
};
