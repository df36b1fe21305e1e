import type { ErrorEntries } from '../entry.ts';

export const walletErrors = {
  'wallet.address-invalid': {
    code: 'address-invalid',
    message: '{reason}',
    hint: 'Copy the whole address again; here it begins with {prefix}.',
  },
  'wallet.address-wrong-network': {
    code: 'address-wrong-network',
    message: 'This address belongs to {there}, but Planchet is on {here}.',
    hint: "Use an address that begins with {prefix}, or start Planchet on the address's network.",
  },
  'wallet.addresses-unused': {
    code: 'conflict',
    message: '{count} addresses in a row were given out and never paid.',
    hint: 'Use one of them. A restore looks no further than {count} unused addresses.',
  },
  'wallet.backup-damaged': {
    code: 'invalid-input',
    message: 'This is not a backup file of Planchet, or it is damaged.',
    hint: 'Make a new one with "planchet wallet backup --encrypted --out FILE".',
  },
  'wallet.backup-other-wallet': {
    code: 'conflict',
    message: 'The backup restores other keys than those of this wallet.',
    hint: 'Check another file, or make a new backup.',
  },
  'wallet.backup-passphrase-wrong': {
    code: 'vault-passphrase-wrong',
    message: 'The passphrase does not open this backup.',
    hint: 'Type the passphrase that the backup was made with.',
  },
  'wallet.backup-unchecked': {
    code: 'conflict',
    message: 'Nothing is spent yet: no backup of this wallet has passed its check.',
    hint: 'Run "planchet wallet backup --encrypted --out FILE", then "planchet wallet restore-check FILE".',
  },
  'wallet.coin-frozen': {
    code: 'conflict',
    message: '{outpoint} is frozen.',
    hint: 'Thaw the coin first.',
  },
  'wallet.coin-in-use': {
    code: 'conflict',
    message: '{outpoint} is in use by something that is not finished.',
    hint: 'Approve or cancel what uses it first.',
  },
  'wallet.coin-missing': {
    code: 'not-found',
    message: '{outpoint} is not an unspent output of this wallet.',
    hint: 'It may already be spent, or the node may not have seen it yet.',
  },
  'wallet.exists': {
    code: 'wallet-exists',
    message: 'There is a wallet on the {network} network already.',
    hint: 'Back up its words ("planchet wallet backup") and start another data folder with --data-dir for a second wallet.',
  },
  'wallet.fee-too-high': {
    code: 'fee-too-high',
    message: 'Nothing was signed: the fee of {fee} satoshis is above {limit}.',
    hint: 'If the fee is right, raise the setting {setting}.',
  },
  'wallet.funds-insufficient': {
    code: 'funds-insufficient',
    message: 'The wallet can spend {spendable} satoshis, but {needed} are needed.',
    hint: 'Send at least {missing} satoshis to {address}, or wait until a coin in use is free again.',
  },
  'wallet.locked': {
    code: 'vault-locked',
    message: 'The wallet is locked, because its vault is.',
    hint: 'Give the passphrase of the vault: type it when asked in the terminal, or set PLANCHET_PASSPHRASE.',
  },
  'wallet.mint-review-failed': {
    code: 'review-failed',
    message: 'Nothing was signed: {reason}',
    hint: 'Start a new mint.',
  },
  'wallet.missing': {
    code: 'wallet-missing',
    message: 'There is no wallet for the {network} network yet.',
    hint: 'Make one with "planchet wallet create".',
  },
  'wallet.none': {
    code: 'wallet-missing',
    message: 'There is no wallet on the {network} network yet.',
    hint: 'Make one with "planchet wallet create", or bring one back with "planchet wallet restore".',
  },
  'wallet.not-ready': {
    code: 'not-running',
    message: 'The wallet is still reading its coins.',
    hint: 'Try again in a moment.',
  },
  'wallet.other-block': {
    code: 'upstream-error',
    message: 'The node sent a different block than {hash}, which was asked for.',
    hint: 'Check that bitcoinRpcUrl is the address of a full node.',
  },
  'wallet.sandbox-funds-insufficient': {
    code: 'funds-insufficient',
    message: 'The wallet can spend {spendable} satoshis, but {needed} are needed.',
    hint: 'Run "planchet sandbox fund {address} {missing}".',
  },
  'wallet.seed-unreadable': {
    code: 'vault-damaged',
    message: 'The wallet seed in the vault cannot be read.',
    hint: 'It was written by a newer Planchet, or damaged: start the newer version, or restore the wallet from its words in another --data-dir.',
  },
  'wallet.send-all-not-last': {
    code: 'invalid-input',
    message: 'Only the last receiver can take all that is left.',
    hint: 'Put that receiver last, and name amounts for the others.',
  },
  'wallet.send-key-used': {
    code: 'conflict',
    message: 'Another payment was prepared with this idempotency key.',
    hint: 'Use a new key.',
  },
  'wallet.send-missing': {
    code: 'not-found',
    message: 'There is no payment {id}.',
    hint: 'List the payments again.',
  },
  'wallet.send-not-money': {
    code: 'invalid-input',
    message: '{outpoint} is not money: it is a token, a contract, or not ready to be spent.',
    hint: 'Choose other coins.',
  },
  'wallet.send-nothing': {
    code: 'funds-insufficient',
    message: 'The coins are worth less than the fee of moving them.',
    hint: 'Choose more coins, or a lower fee rate.',
  },
  'wallet.send-other-approved': {
    code: 'review-failed',
    message: 'Nothing was signed: another transaction was approved than the one prepared.',
    hint: 'Read the review again, and approve that.',
  },
  'wallet.send-review-failed': {
    code: 'review-failed',
    message: 'Nothing was signed: {reasons}',
    hint: 'Cancel the payment and prepare it again.',
  },
  'wallet.send-wrong-state': {
    code: 'conflict',
    message: 'This is not possible: the payment {state}.',
    hint: 'Look at the payment again.',
  },
  'wallet.subject-missing': {
    code: 'not-found',
    message: '{subject} is not of this wallet.',
    hint: 'Copy it again from the wallet.',
  },
  'wallet.token-review-failed': {
    code: 'review-failed',
    message: 'Nothing was signed: {reason}',
    hint: 'Start again.',
  },
  'wallet.transaction-malformed': {
    code: 'invalid-input',
    message: 'The transaction cannot be read: {reason}',
    hint: 'Nothing was signed. Tell the operator of the service that built the transaction.',
  },
  'wallet.words-invalid': {
    code: 'invalid-input',
    message: '{reason}',
    hint: 'Type the words in the order they were written down, with a space between them.',
  },
  'wallet.send-no-token': {
    code: 'invalid-input',
    message: '{outpoint} is not a token that this wallet holds.',
    hint: 'Give the outpoint of a token in the list of tokens. Redeemable tokens are moved in their own view.',
  },
  'wallet.send-one-satoshi': {
    code: 'invalid-input',
    message: 'One satoshi is the value of a token, and a token goes to one receiver.',
    hint: 'Send at least 2 satoshis of money, or send a token with planchet send.',
  },
} as const satisfies ErrorEntries;
