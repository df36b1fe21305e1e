import type { ErrorEntries } from '../../entry.ts';

export const mintErrors = {
  'mint.address-invalid': {
    code: 'address-invalid',
    message: '{reason}',
    hint: 'Copy the whole address again from the wallet that is to receive the tokens.',
  },
  'mint.address-wrong-network': {
    code: 'address-wrong-network',
    message: 'This address belongs to {there}, not to the {network} network.',
    hint: 'Give an address of the {network} network, or change the network in the settings.',
  },
  'mint.already-minted': {
    code: 'conflict',
    message: 'One of these tokens is already being minted, or is minted.',
    hint: 'Choose drafts only.',
  },
  'mint.already-signed': {
    code: 'conflict',
    message: 'This mint is already signed, so it can no longer be cancelled.',
    hint: 'It goes on by itself; wait until it is mined.',
  },
  'mint.approval-outdated': {
    code: 'conflict',
    message: 'The approved transaction is not the current one.',
    hint: 'Look at the review again and approve that.',
  },
  'mint.collection-failed': {
    code: 'conflict',
    message: 'The collection token these items refer to was not minted.',
    hint: 'Cancel this mint, mint the collection token, then mint the items.',
  },
  'mint.collection-not-minted': {
    code: 'conflict',
    message: 'The collection token is not minted yet, and its items refer to it.',
    hint: 'Mint the collection token on its own first, then the items.',
  },
  'mint.collection-project': {
    code: 'conflict',
    message: 'A collection holds its collection token and items of it, no single tokens.',
    hint: 'Make a project of the type single for this.',
  },
  'mint.collection-token-exists': {
    code: 'conflict',
    message: 'This project already has its collection token.',
    hint: 'Add further files as items of the collection.',
  },
  'mint.fee-too-high': {
    code: 'fee-too-high',
    message: 'The fee of about {fee} satoshis is above the limit of {limit}.',
    hint: 'Mint fewer or smaller tokens, or raise the setting maxFeeSatoshis.',
  },
  'mint.funds-insufficient': {
    code: 'funds-insufficient',
    message: 'This mint needs {needed} satoshis; {spendable} can be spent.',
    hint: 'Send money to the wallet address, or mint fewer or smaller tokens.',
  },
  'mint.idempotency-key-used': {
    code: 'conflict',
    message: 'This idempotency key belongs to another mint.',
    hint: 'Use a new key for a new mint.',
  },
  'mint.item-in-mint': {
    code: 'conflict',
    message: 'This token is being minted, so it can no longer be changed.',
    hint: 'Cancel its mint first; once it is signed nothing can change it.',
  },
  'mint.number-taken': {
    code: 'conflict',
    message: 'Two items of the collection would have the number {number}.',
    hint: 'Give each item a number of its own. Nothing was changed.',
  },
  'mint.project-not-served': {
    code: 'conflict',
    message: 'The token service does not have this project, so it holds no outputs of it.',
    hint: 'Change its items instead: they are kept on this computer.',
  },
  'mint.output-missing': {
    code: 'not-found',
    message: 'The token service does not have this output any more.',
    hint: 'List the outputs again.',
  },
  'mint.output-in-use': {
    code: 'conflict',
    message: 'A mint or a transaction needs this output, so it cannot be changed or deleted.',
    hint: 'Cancel its mint first; what is on chain stays.',
  },
  'mint.removed-item-gone': {
    code: 'not-found',
    message: 'A removed draft can no longer be put back.',
    hint: 'It is back already, or the bin was emptied. Add its file to the project again.',
  },
  'mint.nothing-to-undo': {
    code: 'not-found',
    message: 'There is no change of this project that can be taken back.',
    hint: 'What is minted stays. Removed drafts lie in the bin of the project.',
  },
  'mint.item-missing': {
    code: 'not-found',
    message: 'There is no such token in this project.',
    hint: 'It may have been removed; look at the list again.',
  },
  'mint.metadata-invalid': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: {reason}',
    hint: 'Correct the metadata and try again.',
  },
  'mint.royalty-receiver': {
    code: 'address-invalid',
    message: '“{destination}” cannot receive a royalty: it is neither an address of this network nor a paymail.',
    hint: 'Correct the receiver in the import, or remove it. What is written into a token stays there.',
  },
  'mint.missing': {
    code: 'not-found',
    message: 'There is no such mint.',
    hint: 'Look at the list of mints.',
  },
  'mint.no-inscription': {
    code: 'not-found',
    message: 'Nothing is inscribed in this output.',
    hint: 'Check the number of the output.',
  },
  'mint.no-tokens': {
    code: 'invalid-input',
    message: 'A mint needs at least one token, and each of them once.',
    hint: 'Choose the tokens to mint, each of them once.',
  },
  'mint.no-transaction': {
    code: 'rejected',
    message: 'The token service takes the request for a transaction but never answers it.',
    hint: 'Try again later. If this keeps happening, tell the operator of the service.',
  },
  'mint.not-running': {
    code: 'not-running',
    message: 'The studio is not running.',
    hint: 'Restart it under Services.',
  },
  'mint.minted-after-all': {
    code: 'conflict',
    message: 'An earlier mint of these tokens, which was cancelled, is with the network after all: {txid}.',
    hint: 'They are not minted a second time. Look at the earlier mint; once a block holds it, this one ends by itself.',
  },
  'mint.not-waiting': {
    code: 'conflict',
    message: 'This mint is not waiting for an approval.',
    hint: 'Look at its state; it may have been approved or cancelled already.',
  },
  'mint.nothing-failed': {
    code: 'conflict',
    message: 'Nothing of this mint has failed.',
    hint: 'Look at its state.',
  },
  'mint.other-transaction-approved': {
    code: 'conflict',
    message: 'The approval is for another transaction than the one reviewed.',
    hint: 'Look at the review again and approve that.',
  },
  'mint.other-txid': {
    code: 'upstream-error',
    message: 'The service submitted {answered} instead of {txid}.',
    hint: 'Planchet tries again on its own. If this keeps happening, tell the operator of the service.',
  },
  'mint.project-missing': {
    code: 'not-found',
    message: 'There is no such project.',
    hint: 'Choose one of the listed projects.',
  },
  'mint.quota-exceeded': {
    code: 'quota-exceeded',
    message: 'The API key may still mint {available} of the {tokens} tokens until {endDate}.',
    hint: 'Mint fewer tokens, wait for the next period, or ask for a higher limit.',
  },
  'mint.review-failed': {
    code: 'review-failed',
    message: 'This transaction is not what was asked for. {differences}',
    hint: 'Nothing was signed. Try again. If this keeps happening, do not use this token service.',
  },
  'mint.picture-unreadable': {
    code: 'review-failed',
    message: 'Nothing was signed. {differences}',
    hint: 'Choose another file, or save it again with the program that made it. Then mint again.',
  },
  'mint.base64-content': {
    code: 'review-failed',
    message:
      'The token service inscribed the base64 text of a file instead of the file. Wallets and galleries would show letters in place of the art, for ever, and the fee is about a third higher.',
    hint: 'Nothing was signed. Mint the project directly, without the service, or set base64Content to "accept" if you want the tokens as they are.',
  },
  'mint.several-projects': {
    code: 'invalid-input',
    message: 'The tokens of one mint must belong to one project.',
    hint: 'Mint the projects one after the other.',
  },
  'mint.single-project': {
    code: 'conflict',
    message: 'A project of single tokens holds only single tokens.',
    hint: 'Make a project of the type collection for this.',
  },
  'mint.step-cancelled': {
    code: 'cancelled',
    message: 'The step was ended.',
  },
  'mint.transaction-lost': {
    code: 'not-found',
    message: 'The network no longer has this transaction, which it had mined.',
    hint: 'Try again to send the same transaction once more, or cancel: then its items are drafts again, and the mint that they are put into spends one of the same coins, so that only one can be mined.',
  },
  'mint.transaction-unknown': {
    code: 'not-found',
    message: 'The node does not know this transaction.',
    hint: 'Check the id; a transaction just sent may take a moment to appear.',
  },
  'mint.wallet-locked': {
    code: 'vault-locked',
    message: 'The wallet is locked.',
    hint: 'Unlock it with its passphrase.',
  },
} as const satisfies ErrorEntries;
