import { os } from './base.ts';

export const wallet = {
  status: os.wallet.status.handler(({ context }) => context.wallet.status()),
  validateAddress: os.wallet.validateAddress.handler(({ context, input }) =>
    context.wallet.validateAddress(input.address),
  ),
  balance: os.wallet.balance.handler(({ context }) => context.wallet.balance()),
  create: os.wallet.create.handler(({ context, input }) => context.wallet.create(input.words)),
  restore: os.wallet.restore.handler(({ context, input }) => context.wallet.restore(input)),
  lock: os.wallet.lock.handler(({ context }) => context.wallet.lock()),
  unlock: os.wallet.unlock.handler(({ context, input }) => context.wallet.unlock(input)),
  seed: {
    reveal: os.wallet.seed.reveal.handler(({ context, input }) => context.wallet.revealSeed(input.passphrase)),
  },
  external: {
    get: os.wallet.external.get.handler(({ context }) => context.wallet.external()),
    accept: os.wallet.external.accept.handler(({ context, input }) => context.wallet.acceptExternal(input)),
  },
  vault: {
    status: os.wallet.vault.status.handler(({ context }) => context.wallet.vault()),
    changePassphrase: os.wallet.vault.changePassphrase.handler(({ context, input }) =>
      context.wallet.changePassphrase(input),
    ),
  },
  accounts: {
    list: os.wallet.accounts.list.handler(({ context }) => context.wallet.accounts.list()),
    create: os.wallet.accounts.create.handler(({ context, input }) => context.wallet.accounts.create(input)),
    watch: os.wallet.accounts.watch.handler(({ context, input }) => context.wallet.accounts.watch(input)),
    importKey: os.wallet.accounts.importKey.handler(({ context, input }) => context.wallet.accounts.importKey(input)),
    rename: os.wallet.accounts.rename.handler(({ context, input }) => context.wallet.accounts.rename(input)),
    switch: os.wallet.accounts.switch.handler(({ context, input }) => context.wallet.accounts.switch(input)),
    remove: os.wallet.accounts.remove.handler(({ context, input }) => context.wallet.accounts.remove(input)),
  },
  sweep: os.wallet.sweep.handler(({ context, input }) => context.wallet.sweep(input)),
  addresses: {
    list: os.wallet.addresses.list.handler(({ context }) => context.wallet.listAddresses()),
    next: os.wallet.addresses.next.handler(({ context, input }) => context.wallet.nextAddress(input.label)),
    label: os.wallet.addresses.label.handler(({ context, input }) => context.wallet.labelAddress(input)),
  },
  history: {
    list: os.wallet.history.list.handler(({ context, input }) => context.wallet.history(input)),
    label: os.wallet.history.label.handler(({ context, input }) => context.wallet.labelTransaction(input)),
    export: os.wallet.history.export.handler(({ context, input }) => context.wallet.exportHistory(input.format)),
  },
  notices: {
    list: os.wallet.notices.list.handler(({ context }) => context.wallet.notices()),
    dismiss: os.wallet.notices.dismiss.handler(({ context, input }) => context.wallet.dismissNotice(input)),
  },
  coins: {
    list: os.wallet.coins.list.handler(({ context }) => context.wallet.listCoins()),
    freeze: os.wallet.coins.freeze.handler(({ context, input }) => context.wallet.freeze(input)),
    label: os.wallet.coins.label.handler(({ context, input }) => context.wallet.labelCoin(input)),
  },
  send: {
    prepare: os.wallet.send.prepare.handler(({ context, input }) => context.wallet.prepareSend(input)),
    approve: os.wallet.send.approve.handler(({ context, input }) => context.wallet.approveSend(input)),
    cancel: os.wallet.send.cancel.handler(({ context, input }) => context.wallet.cancelSend(input)),
    retry: os.wallet.send.retry.handler(({ context, input }) => context.wallet.retrySend(input)),
    get: os.wallet.send.get.handler(({ context, input }) => context.wallet.getSend(input)),
    list: os.wallet.send.list.handler(({ context }) => context.wallet.listSends()),
  },
  consolidate: os.wallet.consolidate.handler(({ context, input }) => context.wallet.consolidate(input)),
  backup: {
    status: os.wallet.backup.status.handler(({ context }) => context.wallet.backupStatus()),
    create: os.wallet.backup.create.handler(({ context, input }) => context.wallet.createBackup(input.passphrase)),
    check: os.wallet.backup.check.handler(({ context, input }) => context.wallet.checkBackup(input)),
    restore: os.wallet.backup.restore.handler(({ context, input }) => context.wallet.restoreBook(input)),
  },
};
