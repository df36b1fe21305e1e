import { os } from '../base.ts';

export const networks = {
  list: os.networks.list.handler(({ context }) => context.networks.list()),
  save: os.networks.save.handler(({ context, input }) => context.networks.save(input)),
  test: os.networks.test.handler(({ context, input }) => context.networks.test(input)),
  createWallet: os.networks.createWallet.handler(({ context, input }) => context.networks.createWallet(input)),
  createBackup: os.networks.createBackup.handler(({ context, input }) => context.networks.createBackup(input)),
  checkBackup: os.networks.checkBackup.handler(({ context, input }) => context.networks.checkBackup(input)),
  switch: os.networks.switch.handler(({ context, input }) => context.networks.switch(input)),
};
