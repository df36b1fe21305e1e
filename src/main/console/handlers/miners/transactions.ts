import { os } from '../base.ts';

export const tx = {
  callbacks: os.tx.callbacks.handler(({ context, signal }) => context.callbacks.watch(signal)),
  doubleSpends: os.tx.doubleSpends.handler(({ context, input }) => context.doubleSpends.of(input.txid)),
  list: os.tx.list.handler(({ context, input }) => context.transactions.list(input)),
  counts: os.tx.counts.handler(({ context }) => context.transactions.counts()),
  get: os.tx.get.handler(({ context, input }) => context.transactions.detail(input.txid)),
  label: os.tx.label.handler(({ context, input }) => context.transactions.label(input.txid, input.label)),
  upload: os.tx.upload.handler(({ context, input }) => context.submission.upload(input)),
  decode: os.tx.decode.handler(({ context, input }) => context.submission.decode(input)),
  inscribed: os.tx.inscribed.handler(({ context, input }) => context.submission.inscribed(input)),
  submit: os.tx.submit.handler(({ context, input }) => context.submission.submit(input)),
  extended: os.tx.extended.handler(({ context, input }) => context.submission.extended(input.txid)),
  retry: os.tx.retry.handler(({ context, input }) => context.submission.retry(input)),
};
