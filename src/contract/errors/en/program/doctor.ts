import type { ErrorEntries } from '../../entry.ts';

/** Findings of `planchet doctor` that are not failures of a part of the program. */
export const doctorErrors = {
  'doctor.disk-low': {
    code: 'disk-full',
    message: 'Only {megabytes} MB free.',
    hint: 'Free some room before minting.',
  },
  'doctor.node-silent': {
    code: 'upstream-unreachable',
    message: 'The node does not answer.',
    hint: 'Check bitcoinRpcUrl and the network connection.',
  },
  'doctor.port-taken': {
    code: 'port-in-use',
    message: 'Port {port} is taken by another program.',
    hint: 'Stop it, or choose another port: planchet settings set {key} {next}',
  },
  'doctor.token-key-refused': {
    code: 'unauthorized',
    message: 'The token API does not answer this key.',
    hint: 'Check the API key: planchet settings set apiKey -',
  },
  'doctor.vault-locked': {
    code: 'vault-locked',
    message: 'The vault is locked.',
    hint: 'Give its passphrase: "planchet wallet unlock" where Planchet runs, else PLANCHET_PASSPHRASE or --passphrase-file.',
  },
  'doctor.wallet-missing': {
    code: 'wallet-missing',
    message: 'There is no wallet yet.',
    hint: 'Make one: planchet wallet create',
  },
} as const satisfies ErrorEntries;
