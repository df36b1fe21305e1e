import type { ErrorEntries } from '../../entry.ts';

export const merchantErrors = {
  'merchant.answer-malformed': {
    code: 'upstream-error',
    message: 'The answer of the miner does not have the fields it should.',
    hint: 'Check that the address of the miner (mapiUrl, or the list of miners) is that of its API.',
  },
  'merchant.answer-no-envelope': {
    code: 'upstream-error',
    message: 'The answer of the miner is no JSON envelope.',
    hint: 'Check that the address of the miner (mapiUrl, or the list of miners) is that of its API.',
  },
  'merchant.answer-no-status': {
    code: 'upstream-error',
    message: 'The answer of the miner is not a status of ARC.',
    hint: 'Check that the address of the miner (mapiUrl, or the list of miners) is that of its API.',
  },
  'merchant.answer-too-large': {
    code: 'upstream-error',
    message: 'The answer of the miner is larger than any answer of this kind.',
    hint: 'Check that the address of the miner (mapiUrl, or the list of miners) is that of its API.',
  },
  'merchant.signature-wrong': {
    code: 'upstream-error',
    message: 'The signature over the answer of the miner is wrong.',
    hint: 'Nothing of it was used. Check the address of the miner; somebody may be intercepting the connection to the miner.',
  },
  'merchant.signer-other': {
    code: 'upstream-error',
    message: 'The answer of the miner is signed by another than the miner it names.',
    hint: 'Nothing of it was used. Check the address of the miner; somebody may be intercepting the connection to the miner.',
  },
  'merchant.api-key-malformed': {
    code: 'unauthorized',
    message: 'The stored API key contains characters that no API key has.',
    hint: 'Store it again in the list of miners, or as the key of the network: planchet settings set apiKey -',
  },
  'merchant.api-key-missing': {
    code: 'api-key-missing',
    message: 'The miner asks for an API key, and none is stored.',
    hint: 'Store one in the list of miners, or as the key of the network: planchet settings set apiKey -',
  },
  'merchant.fee-too-high': {
    code: 'fee-too-high',
    message: 'The miner asks {satoshis} satoshis for {bytes} bytes; the limit is {maxFeeRate} for 1,000 bytes.',
    hint: 'Nothing was signed. If this is the price today, raise the setting maxFeeRate.',
  },
  'merchant.key-from-settings': {
    code: 'conflict',
    message: 'The setting mapiPublicKey names another key.',
    hint: 'Change the setting instead: planchet settings set mapiPublicKey <key>; "" remembers keys by themselves.',
  },
  'merchant.key-pinned': {
    code: 'conflict',
    message: 'Another key is pinned for this miner.',
    hint: 'Change the key in the list of miners instead; without one, keys are remembered by themselves.',
  },
  'merchant.key-malformed': {
    code: 'invalid-input',
    message: '"{text}" is not a compressed public key.',
    hint: 'Copy the 66 hex digits from the message, or write "unsigned".',
  },
  'merchant.key-unknown': {
    code: 'not-found',
    message: 'No key is known for a merchant API at {endpoint}.',
    hint: 'See the addresses that are known: planchet merchant keys',
  },
  'merchant.no-address': {
    code: 'upstream-unreachable',
    retryable: false,
    message: 'No merchant API address is set.',
    hint: 'Choose a miner, or set mapiUrl to the address of one: planchet settings set mapiUrl https://…/mapi',
  },
  'merchant.no-endpoint': {
    code: 'invalid-input',
    message: 'No merchant API is set.',
    hint: 'Name it with --endpoint, or set mapiUrl.',
  },
  'merchant.no-result': {
    code: 'upstream-error',
    message: 'The miner did not answer for one of the transactions.',
    hint: 'Try again after some time; the transaction itself was not refused.',
  },
  'merchant.other-txid': {
    code: 'upstream-error',
    message: 'The miner took {answered}, but {sent} was sent.',
    hint: 'Check that the address of the miner (mapiUrl, or the list of miners) is that of its API.',
  },
  'merchant.quote-expired': {
    code: 'upstream-error',
    message: 'The miner sent a fee quote that has already expired.',
    hint: 'Planchet asks again on its own. If this keeps happening, tell the operator of the merchant API.',
  },
  'merchant.quote-incomplete': {
    code: 'upstream-error',
    message: 'The fee quote names no standard fee.',
    hint: 'Ask the operator of the merchant API.',
  },
  'merchant.timeout': {
    code: 'upstream-timeout',
    message: 'The miner at {origin} did not answer within {timeoutMs} ms.',
    hint: 'Try again later, or check the address of the miner (mapiUrl, or the list of miners).',
  },
  'merchant.no-miner': {
    code: 'upstream-unreachable',
    retryable: false,
    message: 'No miner that has an address is switched on, so no fee is known and nothing can be submitted.',
    hint: 'Add a miner in the list of miners, switch one on there, or set mapiUrl.',
  },
  'merchant.over-limits': {
    code: 'review-failed',
    message: 'Nothing was signed. {reasons}',
    hint: 'Add a miner that takes it under Miners and try again, or cancel it.',
  },
  'merchant.miner-unknown': {
    code: 'not-found',
    message: 'There is no miner "{id}".',
    hint: 'See those that are set up: planchet miners list',
  },
  'merchant.transaction-unknown': {
    code: 'not-found',
    message: 'No transaction {txid} was submitted from here.',
    hint: 'See those that were: planchet tx list',
  },
  'merchant.block-not-verified': {
    code: 'proof-invalid',
    message: 'The block {hash} of the node is not the one of its height in the verified chain of headers.',
    hint: 'It is looked at again by itself, as the headers may be behind. If this stays, use another node.',
  },
  'merchant.transaction-unreadable': {
    code: 'invalid-input',
    message: 'Part {place} is no transaction: {why}',
    hint: 'Give signed transactions as hex or bytes: raw, in the extended format, or BEEF.',
  },
  'merchant.transaction-not-hex': {
    code: 'invalid-input',
    message: 'Part {place} is not hex: it has other characters, or an odd number of digits.',
    hint: 'Give signed transactions as hex or bytes: raw, in the extended format, or BEEF.',
  },
  'merchant.transaction-cut-off': {
    code: 'invalid-input',
    message: 'Part {place} ends too early: the rest of the transaction is missing.',
    hint: 'Copy it again, whole.',
  },
  'merchant.nothing-to-submit': {
    code: 'invalid-input',
    message: 'There is no transaction to submit.',
    hint: 'Give signed transactions as hex or bytes: raw, in the extended format, or BEEF.',
  },
  'merchant.transaction-not-in-source': {
    code: 'not-found',
    message: 'There is no transaction {txid} with such an inscription.',
    hint: 'Look at the list of what was read.',
  },
  'merchant.upload-unknown': {
    code: 'not-found',
    message: 'The file with the transactions is no longer here.',
    hint: 'Choose it again. A file is kept for 30 minutes, and until Planchet ends.',
  },
  'merchant.uploads-full': {
    code: 'conflict',
    message: 'There is no room for another file with transactions: those that are being submitted fill it.',
    hint: 'Wait until a submission has ended, and try again a minute later. Nothing of this file was sent.',
  },
  'merchant.upload-too-large': {
    code: 'invalid-input',
    message: 'The file holds more than {limit} bytes.',
    hint: 'Divide it, with parents before the transactions that spend them.',
  },
  'merchant.transaction-failed': {
    code: 'upstream-error',
    message: 'The miner could not take the transaction now: {reason}',
    hint: 'Try again after some time; the transaction itself was not refused.',
  },
  'merchant.unauthorized': {
    code: 'unauthorized',
    message: 'The miner did not accept the API key (HTTP {status}).',
    hint: 'Check that the key belongs to this network, and store it again in the list of miners, or as the key of the network: planchet settings set apiKey -',
  },
  'merchant.unreachable': {
    code: 'upstream-unreachable',
    message: 'The miner at {origin} cannot be reached ({reason}).',
    hint: 'Check that it runs and that its address is right (mapiUrl, or the list of miners); on the sandbox, that the sandbox service is running.',
  },
  'merchant.failed': {
    code: 'upstream-error',
    message: 'The miner answered with HTTP {status}{reason}.',
    hint: 'Try again later.',
  },
  'merchant.answer-refused': {
    code: 'upstream-error',
    message: 'The miner answered with HTTP {status}{reason}.',
    hint: 'Check that the address of the miner (mapiUrl, or the list of miners) is that of its API.',
  },
  'merchant.refused': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'Look at the reason. The miner did not send it on, but has its bytes: what you ask for in its place spends a coin of it.',
  },
  'merchant.refused-inputs-missing': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'The miner does not know one of the spent coins, or it is already spent. Look whether an earlier transaction for the same was mined before you ask for it again.',
  },
  'merchant.refused-double-spend': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'Another transaction spent the same coin. Look whether that one does the same before you ask for it again.',
  },
  'merchant.refused-fee': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'The fee is below what the miner asks now. Ask for the same again to get a new quote: the new transaction spends a coin of this one, so that only one of them can be mined.',
  },
  'merchant.refused-full': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'The miner has no room now. Try again in an hour.',
  },
  'merchant.refused-chain': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'Too many transactions that build on each other wait for a block. Try again after the next block.',
  },
  'merchant.refused-malformed': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'The transaction is not valid as it was built. Ask for the same again; if this keeps happening, report it with this text.',
  },
  'merchant.refused-script': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'An unlocking script does not fulfil its locking script, so a signature or key is wrong. Sign the transaction anew.',
  },
  'merchant.refused-proof': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'The miner does not know the block that the proof of an input leads to. Send it again after the next block.',
  },
  'merchant.refused-frozen': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'The coin it spends is frozen by an order that miners follow. Until the order ends, nothing that spends this coin is mined, also no replacement.',
  },
  'merchant.refused-size': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'The transaction is larger than this miner allows. Divide it, or use another miner; the list of miners has their limits.',
  },
  'merchant.refused-not-final': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'Its lock time lies in the future. Send it after that time.',
  },
  'merchant.refused-duplicate': {
    code: 'rejected',
    message: 'The miner refused the transaction: {reason}',
    hint: 'The miner received this transaction before with other options. Look up its status before you send it again.',
  },
  'merchant.nodes-disagree': {
    code: 'upstream-error',
    message: 'The nodes of the miner do not agree about the transaction: {reason}',
    hint: 'Ask again after the next block.',
  },
  'merchant.unsigned': {
    code: 'merchant-key-changed',
    message: 'The merchant API at {endpoint} sent an answer without a signature, although its key is known.',
    hint: 'Nothing of it was used. Ask the miner whether this is right. If it is, accept it: planchet merchant accept unsigned',
  },
  'merchant.unsigned-key-from-settings': {
    code: 'merchant-key-changed',
    message: 'The merchant API at {endpoint} sent an answer without a signature, although its key is known.',
    hint: 'Nothing of it was used. Ask the miner for its key, and change the setting mapiPublicKey if it is another one now.',
  },
  'merchant.unsigned-key-pinned': {
    code: 'merchant-key-changed',
    message: 'The merchant API at {endpoint} sent an answer without a signature, although a key is pinned for it.',
    hint: 'Nothing of it was used. Ask the miner for its key, and change it in the list of miners if it is another one now.',
  },
  'merchant.other-key-than-pinned': {
    code: 'merchant-key-changed',
    message: 'The merchant API at {endpoint} sent an answer signed with another key than the one pinned for it.',
    hint: 'Nothing of it was used. Ask the miner for its key, and change it in the list of miners if it is another one now.',
  },
  'merchant.key-changed': {
    code: 'merchant-key-changed',
    message: 'The merchant API at {endpoint} sent an answer signed with another key than before.',
    hint: 'Nothing of it was used. Ask the miner whether this is right. If it is, accept it: planchet merchant accept {key}',
  },
  'merchant.other-key-than-settings': {
    code: 'merchant-key-changed',
    message:
      'The merchant API at {endpoint} sent an answer signed with another key than the one in the setting mapiPublicKey.',
    hint: 'Nothing of it was used. Ask the miner for its key, and change the setting mapiPublicKey if it is another one now.',
  },
} as const satisfies ErrorEntries;
