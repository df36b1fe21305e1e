import type { ErrorEntries } from '../entry.ts';

export const walletErrors = {
  'wallet.account-exists': {
    code: 'conflict',
    message: 'The account "{name}" has these keys already.',
    hint: 'Switch to that account.',
  },
  'wallet.account-in-use': {
    code: 'conflict',
    message: 'A payment of the account "{name}" is under way.',
    hint: 'Wait until it is in a block, or cancel it. Then remove the account.',
  },
  'wallet.account-main': {
    code: 'conflict',
    message: 'The main account cannot be removed: mints, tokens and documents are paid from it.',
    hint: 'Lock the wallet instead.',
  },
  'wallet.account-missing': {
    code: 'not-found',
    message: 'There is no account {id}.',
    hint: 'See which there are: planchet wallet accounts',
  },
  'wallet.account-not-empty': {
    code: 'conflict',
    message: 'The account "{name}" has {total} satoshis and {tokens} tokens.',
    hint: 'Sweep it to the main account first, or say that you give them up here ("--yes").',
  },
  'wallet.account-refused': {
    code: 'conflict',
    message:
      'The refused payment {txid} of the account "{name}" may still be mined. Only this account can prevent that.',
    hint: 'Pay its coins to an address of the account itself and wait for the block, or retry the payment. Then remove the account.',
  },
  'wallet.account-untold': {
    code: 'conflict',
    message:
      'The host of {paymail} has not taken a payment of the account "{name}", so its owner may not find the money.',
    hint: 'Its host is tried again for a week. Remove the account once it was told, or is not tried any more.',
  },
  'wallet.account-scanning': {
    code: 'not-running',
    message: 'The chain is still searched for coins of this account: block {height} of {tip}.',
    hint: 'Wait until the search has reached the tip.',
  },
  'wallet.history-cut': {
    code: 'upstream-error',
    message:
      'No public service tells everything that happened to {address}, so payments to it may be missing here: {reason}',
    hint: 'The wallet asks again and goes on with all other addresses. Switch on a further service under Networks, or set a node of your own.',
  },
  'wallet.key-missing': {
    code: 'vault-damaged',
    message: 'The vault does not hold the key of an imported account.',
    hint: 'Import the key again.',
  },
  'wallet.missing-not-told': {
    code: 'upstream-error',
    message:
      'The node {node} does not have block {height} any more, and public services did not say what happened in the wallet from there on: {reason}',
    hint: 'The wallet asks again. Check the connection, and under Networks which services are asked.',
  },
  'wallet.no-seed': {
    code: 'conflict',
    message: 'The keys of this wallet do not come from words here: another wallet on this machine signs for it.',
    hint: 'Do this in that wallet, or set walletSigner to "own" and start Planchet again.',
  },
  'wallet.no-token-key': {
    code: 'conflict',
    message: 'This wallet has no key for redeemable tokens.',
    hint: 'Set walletSigner to "own" and start Planchet again.',
  },
  'wallet.sweep-main': {
    code: 'invalid-input',
    message: 'The main account is where a sweep goes to.',
    hint: 'Sweep another account, or consolidate the coins of this one.',
  },
  'wallet.sweep-nothing': {
    code: 'funds-insufficient',
    message: 'There is nothing to sweep in this account: {tokens} tokens, and too little money for the fee.',
    hint: 'Send it some satoshis for the fee where tokens are to be moved.',
  },
  'wallet.watch-only': {
    code: 'conflict',
    message: 'Nothing can be sent from {address}: this account only watches.',
    hint: 'Send with the wallet that has its private keys, or switch to another account.',
  },
  'wallet.wif-encrypted': {
    code: 'invalid-input',
    message: 'This private key is encrypted with a passphrase (BIP38).',
    hint: 'Decrypt it with the program that made it, and give the key that begins with 5, K, L, 9 or c.',
  },
  'wallet.wif-invalid': {
    code: 'invalid-input',
    message: 'This is no private key in the wallet import format: {reason}.',
    hint: 'Copy the whole key again. It begins with 5, K or L on the main network, and with 9 or c elsewhere.',
  },
  'wallet.wif-other-network': {
    code: 'invalid-input',
    message: 'This private key belongs to another network.',
    hint: 'Start Planchet on the network of the key.',
  },
  'wallet.xpub-invalid': {
    code: 'invalid-input',
    message: 'This is no extended public key. {reason}',
    hint: 'Copy the account key again from the other wallet; it begins with xpub or tpub.',
  },
  'wallet.xpub-other-network': {
    code: 'invalid-input',
    message: 'This extended public key belongs to another network.',
    hint: 'Use a key that begins with {prefix}.',
  },
  'wallet.xpub-private': {
    code: 'invalid-input',
    message:
      'This is an extended private key. Watching needs the public one, and a private key should not leave its wallet.',
    hint: 'Copy the extended public key of the account: it begins with xpub or tpub.',
  },
  'wallet.address-length': {
    code: 'address-invalid',
    message: 'An address has 26 to 35 characters.',
    hint: 'Copy the whole address again; here it begins with {prefix}.',
  },
  'wallet.address-characters': {
    code: 'address-invalid',
    message: 'An address holds only Base58 characters.',
    hint: 'Copy the whole address again; here it begins with {prefix}.',
  },
  'wallet.address-checksum': {
    code: 'address-invalid',
    message: 'The address has a typing error: its checksum does not match.',
    hint: 'Copy the whole address again; here it begins with {prefix}.',
  },
  'wallet.address-kind': {
    code: 'address-invalid',
    message: 'Only P2PKH addresses are supported; this one is of another kind.',
    hint: 'Copy the whole address again; here it begins with {prefix}.',
  },
  'wallet.address-not-on-main': {
    code: 'address-wrong-network',
    message: 'This address belongs to the test network or a sandbox, but Planchet is on the main network.',
    hint: "Use an address that begins with {prefix}, or start Planchet on the address's network.",
  },
  'wallet.address-not-on-test': {
    code: 'address-wrong-network',
    message: 'This address belongs to the main network, but Planchet is on the test network.',
    hint: "Use an address that begins with {prefix}, or start Planchet on the address's network.",
  },
  'wallet.address-not-on-sandbox': {
    code: 'address-wrong-network',
    message: 'This address belongs to the main network, but Planchet is on the sandbox.',
    hint: "Use an address that begins with {prefix}, or start Planchet on the address's network.",
  },
  'wallet.addresses-unused': {
    code: 'conflict',
    message: '{count} addresses in a row were given out, and no block holds a payment to one of them.',
    hint: 'Use one of them, or wait until a payment to one is in a block. Other wallets look no further when they restore the words.',
  },
  'wallet.backup-damaged': {
    code: 'invalid-input',
    message: 'This is not a backup file of Planchet, or it is damaged.',
    hint: 'Choose another file, or make a new one with “Make a backup file” under Wallet.',
  },
  'wallet.backup-other-network': {
    code: 'conflict',
    message: 'The backup is of a wallet of the {network} network, and this is the {here} network.',
    hint: 'Change to the {network} network, in a terminal with --network {network}.',
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
    hint: 'Make a backup file, then have it checked: "planchet wallet backup --encrypted --out FILE", "planchet wallet restore-check FILE".',
  },
  'wallet.block-refused': {
    code: 'upstream-error',
    message: 'The node {node} sent invented transactions as block {hash}. Nothing of them was believed. {reason}',
    hint: 'The wallet asks again. If this stays, set bitcoinRpcUrl to a full node that you trust.',
  },
  'wallet.chain-refused': {
    code: 'upstream-error',
    message:
      'The node {node} names {hash} as its newest block, which is not on the chain with the most work. Nothing of it was believed. {reason}',
    hint: 'The wallet asks again. If this stays, set bitcoinRpcUrl to a full node that you trust.',
  },
  'wallet.coin-disputed': {
    code: 'conflict',
    message: '{outpoint} is spent by the word of {sources}, and nobody has what spends it.',
    hint: 'Planchet asks again. If it stays, switch this source off in the setting publicSources.',
  },
  'wallet.coin-frozen': {
    code: 'conflict',
    message: '{outpoint} is frozen.',
    hint: 'Thaw the coin first.',
  },
  'wallet.coin-unproven': {
    code: 'conflict',
    message: 'No block holds {outpoint} yet, and what it comes from could not be checked.',
    hint: 'Wait until it is in a block.',
  },
  'wallet.coin-not-mined': {
    code: 'conflict',
    message: 'No block holds {outpoint} yet.',
    hint: 'Try again once it is confirmed.',
  },
  'wallet.coin-path-unknown': {
    code: 'not-found',
    message: 'Nobody shows the block that holds {outpoint}.',
    hint: 'Try again later, or add a service in the setting publicSources.',
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
  'wallet.funds-elsewhere': {
    code: 'funds-insufficient',
    message: 'The main address has {spendable} satoshis, but {needed} are needed, and only its coins can pay for this.',
    hint: 'Your further addresses hold enough. Bring their coins together: planchet wallet consolidate',
  },
  'wallet.funds-held': {
    code: 'funds-insufficient',
    message:
      'The wallet can spend {spendable} satoshis, but {needed} are needed. The rest is held by the signed transaction {txid}, which was refused or cancelled and may still be mined.',
    hint: 'Retry or replace that transaction, or pay its coins to an address of your own: then it can never be mined.',
  },
  'wallet.funds-insufficient': {
    code: 'funds-insufficient',
    message: 'The wallet can spend {spendable} satoshis, but {needed} are needed.',
    hint: 'Send at least {missing} satoshis to {address}, or wait until a coin in use is free again.',
  },
  'wallet.funds-set-aside': {
    code: 'funds-insufficient',
    message:
      'The wallet can spend {spendable} satoshis, but {needed} are needed. Another {aside} are locked by what is not finished, frozen, or wait for a block.',
    hint: 'Approve or cancel what is not finished, wait for a block, or thaw coins: planchet wallet thaw OUTPOINT',
  },
  'wallet.locked': {
    code: 'vault-locked',
    message: 'The wallet is locked, because its vault is.',
    hint: 'Give its passphrase: "planchet wallet unlock" where Planchet runs, else PLANCHET_PASSPHRASE or --passphrase-file.',
  },
  'wallet.missing': {
    code: 'wallet-missing',
    message: 'There is no wallet for the {network} network yet.',
    hint: 'Make one: planchet wallet create',
  },
  'wallet.none': {
    code: 'wallet-missing',
    message: 'There is no wallet on the {network} network yet.',
    hint: 'Make one, or bring one back: "planchet wallet create", "planchet wallet restore".',
  },
  'wallet.not-ready': {
    code: 'not-running',
    message: 'The wallet is still reading its coins.',
    hint: 'Try again in a moment.',
  },
  'wallet.other-block': {
    code: 'upstream-error',
    message: 'The node {node} sent a different block than {hash}, which was asked for.',
    hint: 'Check that bitcoinRpcUrl is the address of a full node.',
  },
  'wallet.sandbox-funds-insufficient': {
    code: 'funds-insufficient',
    message: 'The wallet can spend {spendable} satoshis, but {needed} are needed.',
    hint: 'The sandbox hands out as much as you want: planchet sandbox fund {address} {missing}',
  },
  'wallet.seed-unreadable': {
    code: 'vault-damaged',
    message: 'The wallet seed in the vault cannot be read.',
    hint: 'It was written by a newer Planchet, or damaged: start the newer version, or restore the wallet from its words in another --data-dir.',
  },
  'wallet.single-address': {
    code: 'conflict',
    message: 'This account has one address and no others.',
    hint: 'Switch to another account for a fresh address.',
  },
  'wallet.words-invalid': {
    code: 'invalid-input',
    message: '{reason}',
    hint: 'Type the words in the order they were written down, with a space between them.',
  },
  'wallet.coin-in-use': {
    code: 'conflict',
    message: '{outpoint} is in use by something that is not finished.',
    hint: 'Approve or cancel what uses it first.',
  },
  'wallet.coin-signed': {
    code: 'conflict',
    message:
      '{outpoint} is held by the signed transaction {txid}, which was refused or cancelled and may still be mined.',
    hint: 'Retry or replace that transaction, or pay the coin to an address of your own: then it can never be mined.',
  },
  'wallet.subject-missing': {
    code: 'not-found',
    message: '{subject} is not of this wallet.',
    hint: 'Copy it again from the wallet.',
  },
  'wallet.transaction-malformed': {
    code: 'invalid-input',
    message: 'The transaction cannot be read: {reason}',
    hint: 'Nothing was signed. Tell the operator of the service that built the transaction.',
  },
} as const satisfies ErrorEntries;
