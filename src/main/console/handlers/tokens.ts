import { contract } from '../../../contract/index.ts';
import { handlersOf } from '../handlers-of.ts';
import { os } from './base.ts';

export const tokens = {
  list: os.tokens.list.handler(({ context, input }) => context.studio.gallery.list(input)),
  get: os.tokens.get.handler(({ context, input }) => context.studio.gallery.get(input)),
  facets: os.tokens.facets.handler(({ context, input }) => context.studio.gallery.facets(input)),
  blocks: os.tokens.blocks.handler(({ context }) => context.studio.gallery.blocks()),
  ledger: os.tokens.ledger.handler(({ context, input }) => context.studio.gallery.ledger(input)),
  exportLedger: os.tokens.exportLedger.handler(({ context, input }) => context.studio.gallery.exportLedger(input)),
  send: handlersOf(contract.tokens.send, os.tokens.send, ({ tokenSends }) => tokenSends),
  certificate: os.tokens.certificate.handler(({ context, input }) => context.studio.gallery.certificate(input)),
  bundle: os.tokens.bundle.handler(({ context, input }) => context.studio.gallery.bundle(input)),
};
