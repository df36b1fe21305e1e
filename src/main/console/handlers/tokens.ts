import { os } from './base.ts';

export const tokens = {
  list: os.tokens.list.handler(({ context, input }) => context.studio.gallery.list(input)),
  get: os.tokens.get.handler(({ context, input }) => context.studio.gallery.get(input)),
  facets: os.tokens.facets.handler(({ context, input }) => context.studio.gallery.facets(input)),
  blocks: os.tokens.blocks.handler(({ context }) => context.studio.gallery.blocks()),
  ledger: os.tokens.ledger.handler(({ context, input }) => context.studio.gallery.ledger(input)),
  exportLedger: os.tokens.exportLedger.handler(({ context, input }) => context.studio.gallery.exportLedger(input)),
  send: {
    prepare: os.tokens.send.prepare.handler(({ context, input }) => context.wallet.prepareTokenSend(input)),
    approve: os.tokens.send.approve.handler(({ context, input }) => context.wallet.approveSend(input)),
    cancel: os.tokens.send.cancel.handler(({ context, input }) => context.wallet.cancelSend(input)),
    get: os.tokens.send.get.handler(({ context, input }) => context.wallet.getSend(input)),
  },
  certificate: os.tokens.certificate.handler(({ context, input }) => context.studio.gallery.certificate(input)),
  bundle: os.tokens.bundle.handler(({ context, input }) => context.studio.gallery.bundle(input)),
};
