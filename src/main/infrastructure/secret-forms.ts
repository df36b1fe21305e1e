/** Private keys in Base58: WIF of both networks, extended keys. */
export const privateKeyForms: readonly RegExp[] = [
  /(?<![1-9A-HJ-NP-Za-km-z])[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}(?![1-9A-HJ-NP-Za-km-z])/g,
  /[xt]prv[1-9A-HJ-NP-Za-km-z]{80,}/g,
];

/** Names of fields that always hold a secret, as alternatives of a regular expression. */
export const secretFieldNames =
  'authorization|cookie|api[-_]?key|rpcpassword|password|passphrase|secret|mnemonic|seed|private[-_]?key';
