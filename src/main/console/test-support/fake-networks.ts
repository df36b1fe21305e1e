import type { Contract, NetworkProfile, Serves } from '../../../contract/index.ts';

const profile: NetworkProfile = { network: 'test', active: false, entries: [], missing: ['wallet'], passphrase: 'new' };

/** One network that lacks a wallet. */
export function createFakeNetworks(): Serves<Contract['networks']> {
  return {
    list: async () => [profile],
    save: async () => profile,
    test: async () => [
      {
        step: 'connect',
        miner: null,
        outcome: 'passed',
        sentence: null,
        message: 'It takes connections.',
        failure: null,
      },
    ],
    sources: { list: async () => [], save: async () => [] },
    createWallet: async () => ({ ...profile, missing: [] }),
    createBackup: async () => ({ fileName: 'planchet-test.backup.json', text: '{}' }),
    checkBackup: async () => profile,
    switch: async ({ network, without }) => ({ network, missing: [...without], restarts: false }),
  };
}
