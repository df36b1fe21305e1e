/** What is said while nothing counts as settled, by why that is so. */
export const unsettled = {
  silent: 'networks.silent',
  'not-agreed': 'networks.notAgreed',
  none: 'networks.asking',
} as const;
