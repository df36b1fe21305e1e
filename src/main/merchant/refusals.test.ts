import { describe, expect, it } from 'vitest';
import { classifyRefusal, type RefusalCode, type RefusalRetry, refusalCodes, refusalError } from './refusals.ts';

/** Texts of merchant API 1.2 to 1.5, of the TAAL service, and reject reasons of nodes. */
const examples: readonly (readonly [text: string, code: RefusalCode, retry: RefusalRetry])[] = [
  ['Transaction already in the mempool', 'already-known', 'accepted'],
  ['Transaction already known', 'already-known', 'accepted'],
  ['Already known', 'already-known', 'accepted'],
  ['Transaction already mined into block', 'already-known', 'accepted'],
  ['257 txn-already-known', 'already-known', 'accepted'],
  ['Error while submitting transactions to the node', 'miner-failure', 'later'],
  ['Error while submitting transactions to the node - no response or error returned.', 'miner-failure', 'later'],
  ['Mempool error, retry again later. (details: 66 mempool full)', 'miner-failure', 'later'],
  [
    'Transaction is already present in db, but unconfirmed ancestors are missing, retry again.',
    'miner-failure',
    'later',
  ],
  ['Internal system error occurred, please retry later', 'miner-failure', 'later'],
  ['Mixed results', 'mixed-results', 'later'],
  ['Missing inputs', 'missing-inputs', 'after-others'],
  ['Missing inputs - invalid output index', 'missing-inputs', 'after-others'],
  ['tx rejected: missing inputs', 'missing-inputs', 'after-others'],
  ['16 missing-inputs', 'missing-inputs', 'after-others'],
  ['Error fetching inputs', 'missing-inputs', 'after-others'],
  ['64 too-long-mempool-chain', 'too-long-chain', 'after-others'],
  ['evicted', 'no-room', 'after-others'],
  ['66 mempool full', 'no-room', 'after-others'],
  ['tx rejected: double spent', 'double-spend', 'never'],
  ['18 txn-double-spend-detected', 'double-spend', 'never'],
  ['258 txn-mempool-conflict', 'double-spend', 'never'],
  ['Not enough fees', 'fee-too-low', 'never'],
  ['66 mempool min fee not met', 'fee-too-low', 'never'],
  ['Negative inputs are not allowed', 'negative-inputs', 'never'],
  ['Can not parse transaction', 'malformed', 'never'],
  ['RawTx is required', 'malformed', 'never'],
  ['Invalid characters in rawTx', 'malformed', 'never'],
  ['Invalid transaction - coinbase transactions are not accepted', 'malformed', 'never'],
  ['259 non-final-pool-full', 'not-final', 'never'],
  ['16 mandatory-script-verify-flag-failed (Script failed an OP_EQUALVERIFY operation)', 'script-failed', 'never'],
  ['the BUMP leads to no block', 'proof-invalid', 'never'],
  ['input is frozen by policy', 'frozen', 'never'],
  ['64 tx-size', 'too-large', 'never'],
  ['Transaction already submitted with different parameters.', 'duplicate-request', 'never'],
  ['Transaction with this id occurs more than once within request', 'duplicate-request', 'never'],
  ['a text nobody has seen before', 'other', 'never'],
  ['', 'other', 'never'],
];

describe('the table of refusals', () => {
  it.each(examples)('reads "%s" as %s', (text, code, retry) => {
    expect(classifyRefusal(text)).toMatchObject({ code, retry });
    // A text is also found within a longer message, such as the journalled reason of a document.
    const quoted = `The miner refused the transaction: ${text}`;
    expect(classifyRefusal(quoted)).toMatchObject({ code, retry });
  });

  it('has an example of every row', () => {
    expect([...new Set(examples.map(([, code]) => code))]).toEqual([...refusalCodes, 'other']);
  });

  it('believes a miner that calls its failure retryable, unless it has the transaction', () => {
    expect(classifyRefusal('66 mempool full', true)).toMatchObject({ code: 'no-room', retry: 'later' });
    expect(classifyRefusal('anything', true).retry).toBe('later');
    expect(classifyRefusal('Already known', true).retry).toBe('accepted');
  });

  it.each(examples)('gives "%s" the error code that its retry policy asks for', (text, _, retry) => {
    const code = { accepted: undefined, later: 'upstream-error', 'after-others': 'rejected', never: 'rejected' }[retry];
    expect(refusalError(text)?.code).toBe(code);
  });

  it('gives an error only where something failed', () => {
    expect(refusalError('Already known')).toBeUndefined();
    expect(refusalError('anything', true)).toMatchObject({ code: 'upstream-error' });
    expect(refusalError('Not enough fees')).toMatchObject({
      code: 'rejected',
      message: 'The miner refused the transaction: Not enough fees',
      hint: expect.stringContaining('new quote'),
      detail: { reason: 'Not enough fees', refusal: 'fee-too-low' },
    });
    expect(refusalError('')?.message).toContain('no reason is given');
  });
});
