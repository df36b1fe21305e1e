import type { ErrorEntries } from '../../entry.ts';

/** Refusals of the sandbox's token project, quota and control APIs. The APIs have their own codes and statuses: see `api-error.ts` there. */
export const sandboxApiErrors = {
  'sandbox-api.address-invalid': {
    code: 'address-invalid',
    message: '{field} cannot be used: {reason}',
    hint: 'Check the address.',
  },
  'sandbox-api.address-unknown': {
    code: 'not-found',
    message: 'There is nothing at this address.',
    hint: 'See docs/sandbox-api.md for all addresses.',
  },
  'sandbox-api.address-wrong-network': {
    code: 'address-wrong-network',
    message: '{field} is an address of the main network; the sandbox uses test addresses.',
    hint: 'Use an address of the test network.',
  },
  'sandbox-api.already-submitted': {
    code: 'conflict',
    message: 'This transaction was submitted before, signed differently, as {txid}.',
    hint: 'Use the transaction that was submitted, or build a new one.',
  },
  'sandbox-api.api-key-foreign': {
    code: 'forbidden',
    message: 'One of the keys does not belong to the user of the authenticating key.',
    hint: 'Ask only for keys of the same user.',
  },
  'sandbox-api.api-key-missing': {
    code: 'api-key-missing',
    message: 'The request carries no API key. Send it in the header {header}.',
    hint: 'The sandbox view shows the API key.',
  },
  'sandbox-api.api-key-unknown': {
    code: 'forbidden',
    message: 'The sandbox does not know this API key.',
    hint: 'Create an API key in the sandbox view, or use the one it shows.',
  },
  'sandbox-api.base64-invalid': {
    code: 'invalid-input',
    message: '{field} is not Base64 with padding (RFC 4648).',
    hint: 'Encode the file in standard Base64.',
  },
  'sandbox-api.batch-too-large': {
    code: 'file-too-large',
    message: 'A batch holds at most {most} transactions; send the others in another.',
    hint: 'Split the batch.',
  },
  'sandbox-api.body-cut-off': {
    code: 'invalid-input',
    message: 'The body ended too early.',
    hint: 'Send the request again.',
  },
  'sandbox-api.body-not-json': {
    code: 'invalid-input',
    message: 'The body is not JSON.',
    hint: 'Send valid JSON in UTF-8.',
  },
  'sandbox-api.body-rest-too-large': {
    code: 'file-too-large',
    message: 'The body holds more than {limit} bytes besides its file.',
    hint: 'Send less metadata.',
  },
  'sandbox-api.body-too-large': {
    code: 'file-too-large',
    message: 'The body is larger than the {limit} bytes allowed here.',
    hint: 'Send a smaller body.',
  },
  'sandbox-api.busy': {
    code: 'quota-exceeded',
    message: 'The sandbox has too many requests to answer at the same time.',
    hint: 'Send fewer requests at the same time.',
  },
  'sandbox-api.collection-exists': {
    code: 'conflict',
    message:
      'This project has its collection output already: {uid}. Edit or delete that one, or create another project.',
    hint: 'Edit or delete that output.',
  },
  'sandbox-api.collection-missing': {
    code: 'conflict',
    message: 'Create the collection output of this project before its items.',
    hint: 'Create an output of subType collection first.',
  },
  'sandbox-api.collection-not-first': {
    code: 'conflict',
    message: 'Mint the collection output of this project first, or list it before its items.',
    hint: 'List the collection output before its items.',
  },
  'sandbox-api.collection-not-minted': {
    code: 'conflict',
    message:
      'The collection of this project is not minted yet, so it has no id: mint it first, or leave collectionId empty and mint both in one transaction.',
    hint: 'Mint the collection first, or leave collectionId empty.',
  },
  'sandbox-api.collection-only': {
    code: 'invalid-input',
    message: 'A collection project holds one collection output and collectionItem outputs.',
    hint: 'Correct subType, or create a single project.',
  },
  'sandbox-api.collection-other': {
    code: 'metadata-invalid',
    message: 'The collectionId in subTypeData must name the minted collection of this project: {ids}.',
    hint: 'Set collectionId as the message says.',
  },
  'sandbox-api.content-type-invalid': {
    code: 'content-type-unknown',
    message: '{field} must be a MIME type such as image/png.',
    hint: 'Correct the content type.',
  },
  'sandbox-api.content-type-unsupported': {
    code: 'content-type-unknown',
    message: 'Send the body as {types}.',
    hint: 'Set the header Content-Type.',
  },
  'sandbox-api.field-invalid': {
    code: 'invalid-input',
    message: 'The {what} is not as it should be: {problem}.',
    hint: 'See docs/sandbox-api.md for the fields of the request.',
  },
  'sandbox-api.field-twice': {
    code: 'invalid-input',
    message: 'The body holds {field} twice.',
    hint: 'Send the field once.',
  },
  'sandbox-api.fault': {
    code: 'internal',
    message: 'The sandbox rehearses a failure (fault http-error).',
    hint: 'Turn the fault off in the sandbox view.',
  },
  'sandbox-api.file-empty': {
    code: 'file-empty',
    message: '{field} is empty; a token needs content.',
    hint: 'Send the content in Base64.',
  },
  'sandbox-api.file-too-large': {
    code: 'file-too-large',
    message: 'The file is larger than the {limit} bytes allowed (setting maxTokenBytes).',
    hint: 'Send a smaller file, or raise maxTokenBytes.',
  },
  'sandbox-api.funds-insufficient': {
    code: 'funds-insufficient',
    message: 'The outputs of utxoList hold {total} satoshis; {tokens} for the tokens and a fee of {fee} are needed.',
    hint: 'Add outputs to utxoList.',
  },
  'sandbox-api.import-invalid': {
    code: 'invalid-input',
    message: 'The file is not an exported sandbox.',
    hint: 'Send a file that GET /admin/export or "planchet sandbox export FILE" wrote.',
  },
  'sandbox-api.import-too-large': {
    code: 'file-too-large',
    message: 'At most {limit} bytes are allowed.',
    hint: 'Import the file with "planchet sandbox import FILE" instead.',
  },
  'sandbox-api.internal': {
    code: 'internal',
    message: 'The sandbox failed to answer; its log says why.',
    hint: 'Look into the log of the sandbox.',
  },
  'sandbox-api.item-collection': {
    code: 'metadata-invalid',
    message:
      'The collectionId in subTypeData of output {output} must name the minted collection of this project: {ids}.',
    hint: 'Edit the output so that it names this collection.',
  },
  'sandbox-api.metadata-character': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: it holds a character that cannot be stored.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-collection-id': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: collectionId in subTypeData must be a text.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-fixed': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: {key} cannot be changed; leave it out.',
    hint: 'Leave it out.',
  },
  'sandbox-api.metadata-missing': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: {key} is missing.',
    hint: 'Add the key to the metadata.',
  },
  'sandbox-api.metadata-name-empty': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: name is empty.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-not-json': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: subTypeData is not JSON text.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-not-object': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: subTypeData must hold a JSON object.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-sub-type': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: subType must be one of {subTypes}.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-too-large': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: it is larger than {limit} bytes.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-trait-empty': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: the trait "{key}" has no value.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-trait-name': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: "{key}" cannot be the name of a trait.',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.metadata-type': {
    code: 'metadata-invalid',
    message: 'The metadata cannot be used: type must be "ord".',
    hint: 'Correct the metadata.',
  },
  'sandbox-api.method-not-allowed': {
    code: 'invalid-input',
    message: 'This address takes {methods} only.',
    hint: 'Use one of these methods.',
  },
  'sandbox-api.output-changed': {
    code: 'conflict',
    message: 'One of the outputs was changed or used by another transaction meanwhile.',
    hint: 'Build a new transaction.',
  },
  'sandbox-api.output-not-in-project': {
    code: 'not-found',
    message: 'The project has no output {uid}.',
    hint: 'Check the uid, and that the output belongs to this project.',
  },
  'sandbox-api.output-unknown': {
    code: 'not-found',
    message: 'This API key has no such output.',
    hint: 'Check the uid and the API key.',
  },
  'sandbox-api.output-used': {
    code: 'conflict',
    message: 'The output is part of a transaction already, so it cannot be used, edited or deleted.',
    hint: 'Create another output.',
  },
  'sandbox-api.passed-on': {
    code: 'invalid-input',
    message: '{reason}',
    hint: 'Correct the request as the message says.',
  },
  'sandbox-api.project-unknown': {
    code: 'not-found',
    message: 'This API key has no such project.',
    hint: 'Check projectUid and the API key.',
  },
  'sandbox-api.protocol-unsupported': {
    code: 'invalid-input',
    message: 'Only the token protocol {protocol} is supported.',
    hint: 'Use this protocol.',
  },
  'sandbox-api.public-key-form': {
    code: 'invalid-input',
    message: '{field} must be a compressed public key: 66 hex digits that begin with 02 or 03.',
    hint: 'Send the compressed public key in hex.',
  },
  'sandbox-api.public-key-no-point': {
    code: 'invalid-input',
    message: '{field} is not a point of the curve.',
    hint: 'Check the public key.',
  },
  'sandbox-api.quota-exceeded': {
    code: 'quota-exceeded',
    message:
      'The monthly quota of {limit} tokens leaves {left}; {tokens} were asked for (setting sandbox.monthlyMintLimit).',
    hint: 'Mint fewer tokens, or raise sandbox.monthlyMintLimit.',
  },
  'sandbox-api.request-unreadable': {
    code: 'invalid-input',
    message: 'The request cannot be read.',
    hint: 'Correct the request and send it again.',
  },
  'sandbox-api.second-collection': {
    code: 'conflict',
    message: 'A project has one collection token, and this would be its second.',
    hint: 'Create another project.',
  },
  'sandbox-api.single-only': {
    code: 'invalid-input',
    message: 'A single project holds only outputs of subType single.',
    hint: 'Set subType to single, or create a collection project.',
  },
  'sandbox-api.too-many-requests': {
    code: 'quota-exceeded',
    message: 'This API key asks too often; try again in {seconds} s.',
    hint: 'Send fewer requests, or raise the request limit of the sandbox.',
  },
  'sandbox-api.transaction-unknown': {
    code: 'not-found',
    message: 'This API key has no such transaction.',
    hint: 'Check transactionUid and the API key.',
  },
  'sandbox-api.tx-claimed': {
    code: 'conflict',
    message: 'This very transaction was submitted under the transactionUid {uid}.',
    hint: 'Use that transactionUid, or pay with another output.',
  },
  'sandbox-api.tx-different': {
    code: 'invalid-input',
    message: '{field} is not the transaction built under transactionUid: only the scripts of its inputs may differ.',
    hint: 'Sign the transaction that was built, without any other change.',
  },
  'sandbox-api.tx-malformed': {
    code: 'invalid-input',
    message: '{field} is not a raw transaction in hex: {reason}',
    hint: 'Send the signed transaction as hex.',
  },
  'sandbox-api.tx-rejected': {
    code: 'rejected',
    message: 'The node refused the transaction: {code} {reason}',
    hint: 'Correct the transaction as the reason says.',
  },
  'sandbox-api.tx-too-large': {
    code: 'file-too-large',
    message: 'The chosen outputs hold {bytes} bytes; a transaction may have {limit}. Choose fewer of them.',
    hint: 'Mint them in several transactions.',
  },
  'sandbox-api.unavailable': {
    code: 'not-running',
    message: 'The sandbox is starting or stopping.',
    hint: 'Try again in a moment.',
  },
  'sandbox-api.utxo-immature': {
    code: 'invalid-input',
    message: 'Output {vout} of {txid} comes from a coinbase and needs {blocks} blocks on top before it can be spent.',
    hint: 'Mine more blocks, or use another output.',
  },
  'sandbox-api.utxo-other-key': {
    code: 'invalid-input',
    message: 'Output {vout} of {txid} is not a P2PKH output of publicKey.',
    hint: 'Use another output in utxoList.',
  },
  'sandbox-api.utxo-token': {
    code: 'invalid-input',
    message: 'Output {vout} of {txid} is worth one satoshi or less, so it cannot pay for anything.',
    hint: 'Use another output in utxoList.',
  },
  'sandbox-api.utxo-unknown': {
    code: 'invalid-input',
    message: 'Output {vout} of {txid} is unknown to the node or spent already.',
    hint: 'Use another output in utxoList.',
  },
} as const satisfies ErrorEntries;
