/** The texts for why no block counts as settled, by reason. */
export const unsettled = {
  silent: 'networks.silent',
  'not-agreed': 'networks.notAgreed',
  none: 'networks.asking',
} as const;
