import { DEFAULT_MINER_NAME } from '../miners/default-miner.ts';
import { importProblemTexts } from '../studio/import-problems.ts';
import { reasonTexts } from './reasons.ts';
import { reviewTexts } from './reviews.ts';
import { ruleTexts } from './rules.ts';

/** Problems of a line in a list of receivers. */
const sendMany = {
  'send-many.address-missing': 'This line has no address.',
  'send-many.address-twice': 'Line {line} has the same address: this receiver gets more than one token.',
  'send-many.address-own': 'This is an address of your own wallet.',
  'send-many.look-alike': 'It looks like {other}, which you have paid before, and is another address.',
  'send-many.look-alike-contact': 'It looks like {other} of your contact {name}, and is another address.',
  'send-many.no-tokens': 'No token is chosen, and the list names none.',
  'send-many.no-token-left': 'There are more receivers than chosen tokens.',
  'send-many.token-missing': 'This line names no token.',
  'send-many.token-unknown': 'No token that can be sent is called {token}.',
  'send-many.token-several': '{count} tokens are called {token}. Name it by its outpoint.',
  'send-many.token-twice': 'Line {line} has the same token.',
} as const;

/** Findings of tests of addresses and keys if nothing is wrong. */
const findings = {
  'test.not-tried': 'Not tried, because an earlier step failed.',
  'test.proxied': 'The proxy makes the connection.',
  'test.source': '{operator} answers, at block {height}.',
  'test.plain-http': 'The address is plain http.',
  'test.connects': '{host} takes connections.',
  'test.certificate-unchecked': 'Encrypted, but the certificate is not checked.',
  'test.certificate-trusted': 'The certificate is trusted.',
  'test.credential-none': 'None is set, and none is asked for.',
  'test.credential-not-refused': 'The credential is not refused.',
  'test.credential-accepted': 'The credential is accepted.',
  'test.block-count': 'getblockcount answers {count}.',
  'test.chain': 'It is on the chain {chain}, at height {height}.',
  'test.serves': 'It has all blocks, an index of transactions, and every command that Planchet needs.',
  'test.serves-helped':
    'It has every command that Planchet needs. What lies in blocks that it lacks is asked of public services.',
  'test.serves-without-node': 'It answers what headers and public services can show. Some commands need a node.',
  'test.tip': 'Block {height} is {minutes} min old.',
  'test.token-service-none': 'No token service is set: projects are kept on this computer.',
  'test.zmq-none': 'No address is set: blocks are looked for over RPC.',
  'test.zmq': 'Subscribed to new blocks. No message has come yet: the next block brings the first.',
  'test.api-key-accepted': 'The API key is accepted.',
  'test.api-key-not-refused': 'The API key is not refused.',
  'test.quota': '{available} of {limit} tokens are left this month.',
  'test.miner': 'It answers with its fees.',
  'test.miner-rates':
    'The miner asks {satoshis} satoshis for {bytes} bytes and, for data, {dataSatoshis} satoshis for {dataBytes} bytes.',
  'test.miner-no-time': 'The miner does not tell its time.',
  'test.clocks': 'The clocks differ by {seconds} seconds.',
  'test.arc-unsigned': 'Its answers are not signed. Its proofs are checked against the block headers.',
  'test.signed': 'Signed with the key {key}.',
  'test.signed-pinned': 'Signed with the key {key}, the one that is pinned.',
} as const;

/** Results of submitting a transaction. */
const events = {
  'event.mined': 'Block {height} holds it.',
  'event.kept-back': 'The checks kept it back. {why}',
  'event.unknown': 'The network no longer knows it.',
  'event.sent-again': 'The network no longer knows it; it is sent again.',
  'event.retried': 'No miner could take it; it is sent again.',
  'event.spent-in-mempool': 'A transaction in the mempool spends the same coin.',
  'event.spent-in-block': 'Block {height} holds {txid}, which spends the same coin.',
  'event.block-left': 'Block {height}, which held it, left the main chain.',
  'event.rival-left': 'The block of its rival left the main chain.',
  'event.rival-in-block': 'A block of the main chain has another transaction that spends the same coin: {txid}.',
  'event.rival-of': '{miner} has another transaction that spends the same coin: {txid}.',
  'event.proof-refused': 'The proof that {miner} sent was not accepted. {why}',
} as const;

/** Notes on a transaction before it is sent: failed checks, and warnings. */
const checks = {
  'check.unsigned': 'There is no signature in input {inputs}.',
  'check.not-final-height': 'No block below height {height} may hold it.',
  'check.not-final-time': 'No block before {time} may hold it.',
  'check.input-unknown': 'The node does not list the coin of input {inputs}.',
  'check.input-unchecked':
    'Whether the coin of input {inputs} is still unspent could not be checked: the node does not answer.',
  'check.input-missing': 'The node does not know the coin of input {inputs}, or a block spends it.',
  'check.input-spent': 'Another transaction spends the coin of input {inputs} as well.',
  'check.input-spent-by': '{txid} spends the coin of input {inputs} as well.',
  'check.input-mined': '{txid} in block {height} spent the coin of input {inputs}.',
  'check.input-disputed': 'The value or script that input {inputs} spends is told in different ways: {values} sat.',
  'check.input-twice':
    '{txid}, which is here too, spends the coin of input {inputs} as well: only one of them can be mined.',
  'check.token-spent': 'Input {input} spends a token, and no output of one satoshi carries it on: it is lost as money.',
  'check.satoshi-spent':
    'Input {input} spends one satoshi, which may be a token, and no output of one satoshi carries it on: it is lost as money.',
  'check.money-in-data': 'The satoshis of output {outputs} are lost: data holds them.',
  'check.outputs-exceed-inputs': 'The outputs pay {satoshis} sat more than the inputs hold.',
  'check.fee-rate-high': 'The fee of {fee} sat is {rate} for 1,000 bytes; the limit is {limit} (setting maxFeeRate).',
  'check.malleable': 'Whoever relays it can change its id until a block holds it, since its version is above 1.',
  'check.fee': 'It pays {fee} sat; {miner} asks {asked} for {bytes} bytes.',
  'check.fee-with-data': 'It pays {fee} sat; {miner} asks {asked} ({standard} and {data} for data) for {bytes} bytes.',
  'check.fee-high': 'It pays {fee} sat to the miner; the limit is {limit}.',
  'check.size': 'It has {value} bytes; {miner} allows {limit}.',
  'check.script-size': 'It has {value} bytes in a script; {miner} allows {limit}.',
  'check.sigops': 'It has {value} signature operations; {miner} allows {limit}.',
  'check.ancestors': 'It has {value} unconfirmed transactions in a chain; {miner} allows {limit}.',
  'check.more-places': '{places} and {more} more',
  'check.parent-kept-back': 'It spends a transaction that was not sent.',
} as const;

/** The fix of a failed check, by its code. */
const checkAdvice = {
  'advice.unsigned': 'Sign every input before you submit it.',
  'advice.input-missing':
    'Submit its parents first, or together with it. If the node is behind, wait; or send it all the same.',
  'advice.input-spent':
    'The first of the two usually wins. Build a new transaction with other coins, or send it all the same.',
  'advice.input-mined': 'It can no longer be mined. Build a new transaction with other coins if it is still needed.',
  'advice.input-disputed':
    'Ask whoever built it, or another node, which value is right: the fee may be far higher than it seems. Or send it all the same.',
  'advice.outputs-exceed-inputs': 'No miner can take it. Build it again.',
  'advice.fee': 'Build it again with a higher fee, use another miner, or send it all the same.',
  'advice.fee-high':
    'Build it again with change. If the fee is meant, raise the setting maxFeeSatoshis, or send it all the same.',
  'advice.size': 'Divide it, or use another miner; the list of miners has their limits.',
  'advice.script-size': 'Divide the data, or use another miner; the list of miners has their limits.',
  'advice.ancestors': 'Send it after the next block.',
  'advice.sigops': 'Divide it, or use another miner; the list of miners has their limits.',
  'advice.parent-kept-back': 'Mend that transaction first.',
} as const;

const importWords = {
  'import.word.name': 'The name',
  'import.word.description': 'The description',
  'import.word.collection': 'The name of the collection',
  'import.word.rarity-label': 'The rarity label',
  'import.word.trait-name': 'The name of the trait {name}',
  'import.word.trait': 'The trait {name}',
  'import.word.key': 'The key {name}',
  'import.word.leading-zeros': 'some numbers lost their zeros in front',
  'import.word.decimal-comma': 'its numbers have a comma',
  'import.word.date': 'some values became dates',
  'import.word.item': 'an item of the project',
  'import.word.row': 'row {row}',
  'import.word.row-of': 'row {row} of {file}',
  'import.word.named-row': '"{name}" (row {row})',
  'import.word.named-row-of': '"{name}" (row {row} of {file})',
  'import.word.named-file': '"{name}" ({file})',
  'import.word.encrypted': 'it is encrypted',
  'import.word.compression': 'its compression is not known',
  'import.word.packed-tightly': 'it is packed too tightly',
  'import.word.memory': 'it needs too much memory',
  'import.word.forbidden': 'you may not read it',
  'import.word.gone': 'it is gone',
  'import.word.link': 'it is a link',
  'import.word.drive': 'its drive does not answer',
  'import.word.not-unicode': 'its text is neither UTF-8 nor UTF-16',
  'import.word.not-text': 'it is not a text file',
  'import.word.not-json': 'it is not valid JSON',
  'import.word.too-deep': 'its values are nested too deeply',
  'import.word.system': 'the system says {code}',
  'import.word.columns': 'it has more than {limit} columns',
  'import.word.cells': 'it has more than {limit} cells',
  'import.word.values': 'it has more than {limit} values',
  'import.word.members': 'one of its objects has more than {limit} members',
  'import.word.rows': 'it has more than {limit} rows',
  'import.word.quote': 'a quotation mark is opened and never closed',
  'import.word.long-line': 'line {line} is longer than a megabyte',
  'import.word.damaged-line': 'line {line} is damaged',
  'import.word.damaged': 'it is damaged',
} as const;

type ProblemKey = `import.${keyof typeof importProblemTexts}`;

const importProblems = Object.fromEntries(
  Object.entries(importProblemTexts).map(([code, { message }]) => [`import.${code}`, message]),
) as Record<ProblemKey, string>;

/** Sentences of the host that are not failures, and parts of them. The program's own language is English. */
export const phraseTexts = {
  ...findings,
  ...events,
  ...checks,
  ...checkAdvice,
  ...reviewTexts,
  ...reasonTexts,
  ...importWords,
  ...importProblems,
  ...sendMany,
  ...ruleTexts,
  'miner.default': DEFAULT_MINER_NAME,
  'sentence.both': '{first} {second}',
};

export type PhraseKey = keyof typeof phraseTexts;
