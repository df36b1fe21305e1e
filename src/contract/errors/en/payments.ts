import type { ErrorEntries } from '../entry.ts';

export const paymentErrors = {
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
  'wallet.mint-review-failed': {
    code: 'review-failed',
    message: 'Nothing was signed: {reason}',
    hint: 'Start a new mint.',
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
  'wallet.paymail-key-denied': {
    code: 'upstream-error',
    message: 'The host of {paymail} names the identity key {key}, and says that it is none of that address.',
    hint: 'Nothing was prepared. Ask the receiver for a plain address.',
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
    hint: 'Send at least 2 satoshis of money, or send a token: planchet send TOKEN ADDRESS',
  },
} as const satisfies ErrorEntries;
