import type { ErrorEntries } from '../../entry.ts';

export const currencyErrors = {
  'currency.no-rate': {
    code: 'upstream-unreachable',
    message: 'WhatsOnChain named no price of a bitcoin: {reason}.',
    hint: 'It is asked again in ten minutes. Amounts in satoshis do not depend on it.',
  },
  'currency.no-source': {
    code: 'conflict',
    message:
      'WhatsOnChain is not among the public services of this network, so it is not asked for the price of a bitcoin.',
    hint: 'Add it to publicSources, or set currency.source to own and enter the price yourself.',
  },
} as const satisfies ErrorEntries;
