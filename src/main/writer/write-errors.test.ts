import { describe, expect, it } from 'vitest';
import { errorEntries, httpStatusOf } from '../../contract/index.ts';
import { deadError, WriteError, writeCodes } from './write-errors.ts';

describe('WriteError', () => {
  it('takes its text and its HTTP status from the catalogue', () => {
    const { message, httpStatus } = errorEntries['write-api.content-type-refused'];
    expect(new WriteError(writeCodes.contentType, 'write-api.content-type-refused').toBody()).toEqual({
      status: httpStatus,
      code: 10,
      error: message,
    });
    const missing = new WriteError(writeCodes.notFound, 'write-api.not-found', { reason: 'No such document.' });
    expect(missing.toBody()).toEqual({
      status: httpStatusOf({ code: 'not-found' }),
      code: 20,
      error: 'No such document.',
    });
  });

  it('says after how many seconds to come again', () => {
    const busy = new WriteError(writeCodes.busy, 'write-api.busy-queue', { count: 9 }, { detail: { retryAfter: 5 } });
    expect(busy).toMatchObject({ status: 429, retryAfter: 5, message: 'come again later: 9 documents wait already' });
    expect(new WriteError(writeCodes.internal, 'write-api.stopping').retryAfter).toBeUndefined();
  });

  it('requires the values that the text names', () => {
    // @ts-expect-error the limit is missing
    expect(new WriteError(writeCodes.body, 'write-api.body-too-large', {}).message).toContain('{limit}');
  });
});

describe('the error of a document that was given up', () => {
  // The words of older servers.
  it.each([
    [13, 'failed to get funding: no coins'],
    [14, 'failed to create op return output: no coins'],
    [15, 'failed to sign transaction: no coins'],
    [16, 'failed to submit transaction: no coins'],
    [23, 'failed: no coins'],
  ])('names the step of code %i', (code, error) => {
    expect(deadError(code, 'no coins').toBody()).toEqual({ status: 400, code, error });
  });

  it('has a code and a reason where none was stored', () => {
    expect(deadError(null, null).toBody()).toEqual({ status: 400, code: 24, error: 'failed: no reason given' });
  });
});
