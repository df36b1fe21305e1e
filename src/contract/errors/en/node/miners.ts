import type { ErrorEntries } from '../../entry.ts';

export const minersErrors = {
  'miners.name-taken': {
    code: 'conflict',
    message: 'There is a miner named "{name}" already.',
    hint: 'Choose another name, or change the one that is there.',
  },
  'miners.address-taken': {
    code: 'conflict',
    message: 'The miner "{name}" has this address already.',
    hint: 'Change that one instead.',
  },
  'miners.built-in': {
    code: 'conflict',
    message: 'The settings or the sandbox name the miner "{name}". Here it can only be switched on or off.',
    hint: 'Change the settings mapiUrl and mapiPublicKey, or store another key: planchet settings set apiKey -',
  },
  'miners.add-incomplete': {
    code: 'invalid-input',
    message: 'A miner needs a name and an address, or a preset.',
    hint: 'Write both, or name a preset: planchet miners add --preset arcade. planchet miners presets lists them.',
  },
  'miners.preset-unknown': {
    code: 'not-found',
    message: 'This network has no known miner "{name}".',
    hint: 'Known here: {presets}.',
  },
  'miners.preset-key': {
    code: 'api-key-missing',
    message: 'The miner "{name}" asks for an API key of your own.',
    hint: 'Get one from its operator and hand it over: --api-key reads it from the terminal, --api-key-file from a file.',
  },
  'miners.removed-too-long': {
    code: 'not-found',
    message: 'The removed miner can no longer be put back.',
    hint: 'It is back already, or was removed more than a day ago. Add it again.',
  },
  'miners.order-incomplete': {
    code: 'conflict',
    message: 'The order does not name each miner that was added once.',
    hint: 'Read the list of miners again: one was added or removed meanwhile.',
  },
  'miners.test-incomplete': {
    code: 'invalid-input',
    message: 'There is nothing to test: the kind or the address of the miner is missing.',
    hint: 'Give both, or the id of a miner that is set up.',
  },
  'miners.test-unreachable': {
    code: 'upstream-unreachable',
    message: '{host} cannot be reached: {reason}',
    hint: 'Check the host and port of the address, and that no firewall blocks the connection.',
  },
  'miners.test-certificate': {
    code: 'upstream-unreachable',
    message: 'The certificate of {host} is not trusted: {reason}',
    hint: 'Check the address. If it is right, somebody may be intercepting the connection, or the miner has to renew its certificate.',
  },
  'miners.test-no-tls': {
    code: 'upstream-unreachable',
    message: 'No secure connection to {host}: {reason}',
    hint: 'Check that the address speaks TLS; an API without it needs http:// instead of https://.',
  },
  'miners.test-key-in-clear': {
    code: 'upstream-error',
    message: 'The address is plain http, so the API key can be read on the way.',
    hint: 'Use the https address of the miner.',
  },
  'miners.test-unsigned': {
    code: 'upstream-error',
    message: 'The answers are not signed, so nothing shows that they are the miner’s.',
    hint: 'Ask the miner whether it signs its answers. Until then, trust its fee quote as far as you trust the connection.',
  },
  'miners.test-unhealthy': {
    code: 'upstream-error',
    message: 'The miner answers, and says that it is not healthy: {reason}.',
    hint: 'Try again later, and order another miner in front of it until then.',
  },
  'miners.test-clock': {
    code: 'upstream-error',
    message: 'The clock of the miner and of this machine differ by {seconds} seconds.',
    hint: 'Check the clock of this machine. Planchet itself counts only how long a quote is valid, so it works anyway.',
  },
  'miners.callbacks-locked': {
    code: 'vault-locked',
    message: 'The vault is locked, so no token of a callback can be checked.',
    hint: 'Unlock the wallet.',
  },
  'miners.callbacks-unreachable': {
    code: 'settings-invalid',
    message: 'Miners cannot reach this address.',
    hint: 'Set callbackPublicUrl to the one they can reach.',
  },
} as const satisfies ErrorEntries;
