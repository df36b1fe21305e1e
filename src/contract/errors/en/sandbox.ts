import type { ErrorEntries } from '../entry.ts';

export const sandboxErrors = {
  'sandbox.none': {
    code: 'not-running',
    message: 'There is no sandbox on this network.',
    hint: 'Start with --network sandbox.',
  },
  'sandbox.other-network': {
    code: 'not-running',
    message: 'There is no sandbox on the {network} network.',
    hint: 'Switch to the sandbox network to mine blocks and receive coins at will.',
  },
} as const satisfies ErrorEntries;
