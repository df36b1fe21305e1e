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
    hint: 'List the accounts with "planchet wallet accounts".',
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
  'wallet.account-scanning': {
    code: 'not-running',
    message: 'The chain is still searched for coins of this account: block {height} of {tip}.',
    hint: 'Wait until the search has reached the tip.',
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
    hint: 'Choose another file, or make a new one: “Make a backup file” under Wallet, or "planchet wallet backup --encrypted --out FILE".',
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
  'wallet.refused-mined': {
    code: 'conflict',
    message: 'The transaction {txid} was refused, but a block holds it after all.',
    hint: 'It counts. Ask for the same again only if you want it a second time.',
  },
  'wallet.replaced-mined': {
    code: 'conflict',
    message:
      'The transaction {txid} asked for the same and spent a coin of this one. A block holds it, so this one can never be mined.',
    hint: 'Nothing is left to do. Prepare another one only if you want to pay a second time.',
  },
  'wallet.replacement-coin': {
    code: 'conflict',
    message:
      'The refused transaction {txid} asks for the same and may still be mined, and none of the chosen coins prevents that.',
    hint: 'Choose no coins, or {outpoint} among them: then only one of the two can be mined.',
  },
  'wallet.replacement-waits': {
    code: 'conflict',
    message:
      'The signed transaction {txid} asks for the same and may still be mined, and no free coin can prevent that now.',
    hint: 'Try again after the next block; until then both could be mined.',
  },
  'wallet.refused-elsewhere': {
    code: 'conflict',
    message:
      'The refused transaction {txid} of another account asks for the same and may still be mined. No coin of this account can prevent that.',
    hint: 'Pay from that account: the new payment replaces the refused one, so that only one of them can be mined.',
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
  'wallet.external-changed': {
    code: 'conflict',
    message: 'Another wallet than before answers at {url}.',
    hint: 'It is not used: no address is shown and nothing is signed. If this wallet is yours, accept its key: planchet wallet accept {key}',
  },
  'wallet.external-unproven': {
    code: 'upstream-error',
    message: 'What answers at {url} does not prove that it has the key it names.',
    hint: 'It is not used. Close it, start your wallet, then unlock the wallet here.',
  },
  'wallet.no-external': {
    code: 'conflict',
    message: 'The keys are in the vault of Planchet. No other wallet signs for it.',
    hint: 'Set walletSigner to "external" and walletUrl to the address of the other wallet, then start Planchet again.',
  },
  'wallet.external-refused': {
    code: 'upstream-error',
    message: 'The wallet that signs for Planchet refused: {reason}',
    hint: 'Open that wallet, and allow "planchet.local" to use its keys.',
  },
  'wallet.external-unreachable': {
    code: 'upstream-unreachable',
    message: 'The wallet that signs for Planchet does not answer at {url}.',
    hint: 'Start and unlock it, then unlock the wallet here; or set walletSigner to "own".',
  },
  'wallet.ancestor-missing': {
    code: 'not-found',
    message: 'Nobody has the transaction {txid}, which this one builds on.',
    hint: 'Wait for the next block, then try again.',
  },
  'wallet.app-asked': {
    code: 'conflict',
    message: 'Your wallet app was asked for a payment already and waits for your answer.',
    hint: 'Agree or refuse in the wallet app. Ask again afterwards.',
  },
  'wallet.app-invalid': {
    code: 'proof-invalid',
    message: 'Your wallet app handed over a transaction that no block can hold: {txid}.',
    hint: 'Nothing was taken. Pay with the QR code from another wallet.',
  },
  'wallet.app-network': {
    code: 'conflict',
    message: 'Your wallet app pays on {theirs}. Planchet is on {network}.',
    hint: 'Nothing was asked for. Choose the same network in the wallet app, or pay with the QR code from another wallet.',
  },
  'wallet.app-other-payment': {
    code: 'proof-invalid',
    message: 'The transaction {txid} of your wallet app does not pay {satoshis} satoshis to this address.',
    hint: 'Nothing was taken. Look into the wallet app for what it paid, and tell its makers.',
  },
  'wallet.app-poor': {
    code: 'funds-insufficient',
    message: 'Your wallet app has too little money: {missing} satoshis are missing.',
    hint: 'Nothing was paid. Put money into the wallet app, or pay with the QR code from another wallet.',
  },
  'wallet.app-refused': {
    code: 'upstream-error',
    message: 'Your wallet app did not pay: {reason}',
    hint: 'Nothing was paid. Agree in the wallet app when you ask again, or pay with the QR code.',
  },
  'wallet.app-silent': {
    code: 'upstream-timeout',
    message: 'Nobody agreed in the wallet app at {url} within some minutes.',
    hint: 'If you agree later, the payment shows here once the network has it. Look into the wallet app before you ask again.',
  },
  'wallet.app-unproven': {
    code: 'proof-invalid',
    message: 'The payment {txid} of your wallet app is not traced to blocks of this network: {reason}',
    hint: 'If it is real, it counts once a block holds it. Look into the wallet app before you pay again.',
  },
  'wallet.app-unreachable': {
    code: 'upstream-unreachable',
    message: 'No wallet app answers at {url}.',
    hint: 'Start and unlock a wallet app that other programs can ask (BRC-100), such as BSV Desktop; or pay with the QR code. Its address is the setting walletUrl.',
  },
  'wallet.app-unreadable': {
    code: 'proof-invalid',
    message: 'What your wallet app handed over cannot be read: {reason}',
    hint: 'If it paid, the payment shows here once the network has it. Look into the wallet app before you pay again.',
  },
  'wallet.fee-too-high': {
    code: 'fee-too-high',
    message: 'Nothing was signed: the fee of {fee} satoshis is above {limit}.',
    hint: 'If the fee is right, raise the setting {setting}.',
  },
  'wallet.funds-elsewhere': {
    code: 'funds-insufficient',
    message: 'The main address has {spendable} satoshis, but {needed} are needed, and only its coins can pay for this.',
    hint: 'Your further addresses hold enough: bring their coins together under Wallet › Coins, or with "planchet wallet consolidate".',
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
    message: 'The node {node} sent a different block than {hash}, which was asked for.',
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
  'wallet.single-address': {
    code: 'conflict',
    message: 'This account has one address and no others.',
    hint: 'Switch to another account for a fresh address.',
  },
  'wallet.subject-missing': {
    code: 'not-found',
    message: '{subject} is not of this wallet.',
    hint: 'Copy it again from the wallet.',
  },
  'wallet.contact-name-taken': {
    code: 'conflict',
    message: 'The contact {name} has the address {address}.',
    hint: 'Choose another name, or remove that contact first.',
  },
  'wallet.contact-name-address': {
    code: 'invalid-input',
    message: 'The name {name} is an address itself.',
    hint: 'Choose a name that cannot be taken for an address.',
  },
  'wallet.send-many-twice': {
    code: 'invalid-input',
    message: 'The token {outpoint} is named twice.',
    hint: 'Give each token one receiver.',
  },
  'wallet.send-many-limit': {
    code: 'invalid-input',
    message: '{count} tokens are more than the {most} that can be sent at once.',
    hint: 'Send the first {most}, and the others after them.',
  },
  'wallet.send-many-coins': {
    code: 'funds-insufficient',
    message: 'It takes {transactions} transactions, each paid by a coin of its own. The wallet has {coins} free.',
    hint: 'Pay your own address so many times in one payment, or send fewer tokens at once.',
  },
  'wallet.token-review-failed': {
    code: 'review-failed',
    message: 'Nothing was signed: {reason}',
    hint: 'Start again.',
  },
  'wallet.token-script-unknown': {
    code: 'not-found',
    message: 'The node does not have the unspent output {outpoint}, whose script is needed to sign.',
    hint: 'Check that the node is synchronised with the network, then approve again. Nothing was signed.',
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
  'wallet.paymail-address': {
    code: 'upstream-error',
    message: 'The host of {paymail} names an address that is not asked: {address}',
    hint: 'It has to begin with https:// and be public. Ask the receiver for a plain address.',
  },
  'wallet.paymail-all': {
    code: 'invalid-input',
    message: '{paymail} cannot get all that is left: its host chooses outputs for an amount.',
    hint: 'Type the amount, or send all to a plain address.',
  },
  'wallet.paymail-invalid': {
    code: 'address-invalid',
    message: '{paymail} is no paymail address.',
    hint: 'It looks like name@host.tld.',
  },
  'wallet.paymail-script': {
    code: 'upstream-error',
    message: 'The host of {paymail} chose an output that is no plain address.',
    hint: 'Ask the receiver for a plain address.',
  },
  'wallet.paymail-sum': {
    code: 'upstream-error',
    message: 'The host of {paymail} chose outputs of {told} satoshis; {asked} were asked for.',
    hint: 'Nothing was prepared. Try again, or ask the receiver for a plain address.',
  },
  'wallet.paymail-unknown': {
    code: 'not-found',
    message: 'The host does not know {paymail}.',
    hint: 'Check the name for a typing error.',
  },
  'wallet.paymail-unreachable': {
    code: 'upstream-unreachable',
    message: 'The host of {paymail} did not answer as it should: {reason}',
    hint: 'Try again later, or ask the receiver for a plain address.',
  },
  'wallet.paymail-unsupported': {
    code: 'upstream-error',
    message: 'The host of {paymail} takes no payments of this kind (P2P payment destination).',
    hint: 'Ask the receiver for a plain address.',
  },
  'wallet.send-no-token': {
    code: 'invalid-input',
    message: '{outpoint} is not a token that this wallet holds.',
    hint: 'Give the outpoint of a token in the list of tokens. Redeemable tokens are moved in their own view.',
  },
  'wallet.send-one-satoshi': {
    code: 'invalid-input',
    message: 'One satoshi is the value of a token, and a token goes whole to one receiver.',
    hint: 'Send at least 2 satoshis of money, or send a token with planchet send TOKEN ADDRESS.',
  },
} as const satisfies ErrorEntries;
