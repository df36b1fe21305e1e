import {
  ChainError,
  chronicleUse,
  equalBytes,
  P2PKH_UNLOCK_BYTES,
  type ParsedTxObj,
  parseInscription,
  parseTx,
  predictSignedSize,
  requiredFee,
  sha256,
  sha256OfParts,
  type Tx,
  toHex,
  txParts,
  txSize,
  type Utxo,
  verifyScripts,
} from '../../../chain/index.ts';
import { type Phrase, phrase, type Review, type ReviewCheck, reviewCheck } from '../../../contract/index.ts';
import { feeChecks } from './fee-checks.ts';
import { changeCheck, formChecks, inputChecks, marksChecks, outputChecks } from './review-checks.ts';
import { addressesIn, factOf, type ReviewFacts, type ReviewRequest, type Subject } from './review-subject.ts';
import { readTransaction } from './unsigned.ts';

export type { ReviewFacts, ReviewRequest } from './review-subject.ts';

/** Signatures differ in length: an unlocking script may come out this much shorter than the longest kind. */
const UNLOCK_SLACK = 3;

/**
 * Decodes an unsigned transaction from the token service and compares it with the request. Pure: everything it relies on is in
 * `facts`, which come from the node. The request's destination must be a valid address.
 * @param txObj as received, or as `unsigned.ts` gives it back; nothing of it is believed
 */
export function reviewTransaction(request: ReviewRequest, txObj: unknown, facts: ReviewFacts): Review {
  let parsed: ParsedTxObj;
  try {
    parsed = readTransaction(txObj);
  } catch (error) {
    return unreadable(request, error);
  }
  const { tx, spent, hash, changeIndex } = parsed;
  return review({
    ...commonParts(request, facts, tx),
    digest: unsignedDigest(tx),
    claims: { spent, txid: hash, changeIndex },
    leastFee: requiredFee(withUnlocks(tx, P2PKH_UNLOCK_BYTES - UNLOCK_SLACK), request.quote),
    quotedFee: requiredFee(withUnlocks(tx, P2PKH_UNLOCK_BYTES), request.quote),
  });
}

/**
 * The same review of the bytes that came back from signing; besides, they must be the approved transaction and every input's scripts
 * must agree.
 * @param raw the signed transaction
 * @param digest SHA-256 (hex) of the approved unsigned bytes
 */
export function reviewSignedTransaction(
  request: ReviewRequest,
  raw: Uint8Array,
  facts: ReviewFacts,
  digest: string,
): Review {
  let tx: Tx;
  try {
    tx = parseTx(raw, true);
  } catch (error) {
    return unreadable(request, error);
  }
  const fee = requiredFee(tx, request.quote);
  const badInput = signatureFault(tx, facts);
  const actual = unsignedDigest(tx);
  const same = actual === digest;
  return review({ ...commonParts(request, facts, tx), digest: actual, leastFee: fee, quotedFee: fee }, [
    reviewCheck(
      'same-transaction',
      same ? [] : [phrase('review.same-transaction.other')],
      phrase('review.same-transaction'),
    ),
    reviewCheck(
      'signatures',
      [...(badInput === undefined ? [] : [badInput]), ...chronicleDifferences(tx)],
      phrase('review.signatures'),
    ),
  ]);
}

/** SHA-256 (hex) of a transaction's bytes with every unlocking script empty: what an approval is bound to. */
function unsignedDigest(tx: Tx): string {
  return toHex(sha256OfParts(txParts(withUnlocks(tx, 0))));
}

/** The sentence of the first checks that failed. */
export function firstDifferences(review: Review): string {
  return review.checks
    .filter(({ passed }) => !passed)
    .slice(0, 2)
    .map(({ text }) => text)
    .join(' ');
}

function withUnlocks(tx: Tx, bytes: number): Tx {
  return { ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array(bytes) })) };
}

function commonParts(request: ReviewRequest, facts: ReviewFacts, tx: Tx) {
  const values = tx.inputs.map((input) => factOf(facts, input)?.utxo?.satoshis);
  const sum = (amounts: readonly (number | undefined)[]) => amounts.reduce<number>((total, n) => total + (n ?? 0), 0);
  const paid = sum(tx.outputs.map(({ satoshis }) => satoshis));
  const tokens = tx.outputs.map(({ script }) => parseInscription(script));
  return {
    request,
    facts,
    tx,
    tokens,
    contentHashes: tokens.map((token) => token && toHex(sha256(token.content))),
    fee: values.includes(undefined) ? undefined : sum(values) - paid,
  };
}

function signatureFault(tx: Tx, facts: ReviewFacts): Phrase | undefined {
  const spent: Utxo[] = [];
  for (const [i, input] of tx.inputs.entries()) {
    const utxo = factOf(facts, input)?.utxo;
    if (utxo === undefined) return phrase('review.signatures.unknown', { input: i });
    spent.push(utxo);
  }
  const verdict = verifyScripts(tx, spent);
  return verdict.ok ? undefined : phrase('review.signatures.wrong', { input: verdict.input, why: verdict.reason });
}

/** What a payment of ours never has: signatures by the original digest, and unlocking scripts that compute. */
function chronicleDifferences(tx: Tx): Phrase[] {
  const { originalDigest, computing } = chronicleUse(tx);
  return [
    ...originalDigest.map((i) => phrase('review.signatures.digest', { input: i })),
    ...computing.map((i) => phrase('review.signatures.computing', { input: i })),
  ];
}

function review(subject: Subject, more: readonly ReviewCheck[] = []): Review {
  const { request, tx, facts, tokens, contentHashes, fee } = subject;
  const addresses = addressesIn(request.network);
  const checks = [
    reviewCheck('form', [], phrase('review.form')),
    ...formChecks(subject),
    ...inputChecks(subject),
    ...outputChecks(subject),
    ...marksChecks(subject),
    changeCheck(subject),
    ...feeChecks(subject),
    ...more,
  ];
  return {
    digest: subject.digest,
    ok: checks.every(({ passed }) => passed),
    checks,
    inputs: tx.inputs.map((input) => {
      const utxo = factOf(facts, input)?.utxo;
      return {
        txid: input.txid,
        vout: input.vout,
        satoshis: utxo?.satoshis ?? 0,
        address: addresses(utxo?.lockingScript),
      };
    }),
    outputs: tx.outputs.map(({ satoshis, script }, index) => {
      const token = tokens[index];
      const isChange = equalBytes(script, request.changeScript);
      return {
        index,
        satoshis,
        kind: token !== undefined ? 'token' : isChange ? 'change' : 'unknown',
        address: addresses(script),
        itemId: (token && request.items[index]?.itemId) ?? null,
        contentType: token?.contentType ?? null,
        contentBytes: token?.content.length ?? null,
        contentSha256: contentHashes[index] ?? null,
      };
    }),
    fee: Math.max(0, fee ?? 0),
    size: tx.inputs.some(({ script }) => script.length === 0) ? predictSignedSize(tx) : txSize(tx),
    destination: request.destination,
    network: request.network,
    ...(request.quote.source === undefined ? {} : { quote: request.quote.source }),
  };
}

/** The review of what is no transaction at all. */
function unreadable(request: ReviewRequest, error: unknown): Review {
  if (!(error instanceof ChainError)) throw error;
  return {
    digest: toHex(sha256(new Uint8Array(0))),
    ok: false,
    checks: [reviewCheck('form', [phrase('review.form.unreadable', { why: error.sentence })], phrase('review.form'))],
    inputs: [],
    outputs: [],
    fee: 0,
    size: 0,
    destination: request.destination,
    network: request.network,
  };
}
