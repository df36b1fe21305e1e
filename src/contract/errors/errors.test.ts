import { describe, expect, it } from 'vitest';
import { phrase } from '../phrases/phrase.ts';
import { type ErrorEntry, fillPlaceholders } from './entry.ts';
import {
  codeTexts,
  errorClasses,
  errorEntries,
  failureSchema,
  httpStatusOf,
  isRetryable,
  PlanchetError,
  toFailure,
  translateFailure,
} from './index.ts';

const entries = Object.entries(errorEntries) as [string, ErrorEntry][];

describe('the error catalogue', () => {
  it.each(entries)('%s is a sentence with a known code and a hint', (id, { code, message, hint }) => {
    expect(id).toMatch(/^[a-z-]+\.[a-z0-9-]+$/);
    expect(errorClasses).toHaveProperty(code);
    // Programs that were written for older data writers, or for a node, read these words.
    if (!/^(?:write-api|rest)\./.test(id))
      expect(message).toMatch(/^(["{“]|[A-Z]|sandbox\.|--|collection|time|apikey|databaseUrl)/);
    // A cancelled call and a client that breaks the console's protocol are nothing a person can act on.
    if (code !== 'cancelled' && !id.startsWith('console.')) expect(hint).toMatch(/\w/);
    expect(codeTexts[code].hint).toMatch(/\w/);
  });

  it('fills placeholders once, and leaves a placeholder without a value', () => {
    expect(fillPlaceholders('{a} of {b}: {c}', { a: '{b}', b: 2 })).toBe('{b} of 2: {c}');
  });

  it('writes one full stop if a value ends with its own', () => {
    const text = 'It failed: {why}. Look at {file}.';
    expect(fillPlaceholders(text, { why: 'Busy.', file: 'a.log' })).toBe('It failed: Busy. Look at a.log.');
    expect(fillPlaceholders(text, { why: 'Busy…', file: '1' })).toBe('It failed: Busy… Look at 1.');
    expect(fillPlaceholders('{a}', { a: 'Busy.' })).toBe('Busy.');
  });
});

describe('PlanchetError', () => {
  const error = new PlanchetError('settings.unknown-key', { key: 'rpcBimd' }, { detail: { field: 'rpcBimd' } });

  it('takes code, message and hint from the catalogue', () => {
    expect(error.toFailure()).toEqual({
      id: 'settings.unknown-key',
      code: 'settings-invalid',
      message: 'There is no setting "rpcBimd".',
      hint: 'Run "planchet settings list" to see every key.',
      detail: { field: 'rpcBimd' },
      values: { key: 'rpcBimd' },
    });
  });

  it('survives serialisation between processes', () => {
    const arrived = failureSchema.parse(JSON.parse(JSON.stringify(error.toFailure())));
    expect(new PlanchetError(arrived).toFailure()).toEqual(error.toFailure());
  });

  it('can be shown in another language', () => {
    const german = { 'settings.unknown-key': { message: 'Die Einstellung „{key}“ gibt es nicht.' } };
    expect(translateFailure(error.toFailure(), german).message).toBe('Die Einstellung „rpcBimd“ gibt es nicht.');
    expect(translateFailure(toFailure(new Error('unknown')), german)).toEqual(toFailure(new Error('unknown')));
  });

  it('names another failure as its reason in any language, with its message in the message and its hint in the hint', () => {
    const german = {
      'notices.network-kept': { message: 'Nicht gewechselt. {reason}', hint: '{reason}' },
      'settings.unknown-key': { message: 'Unbekannt: „{key}“.', hint: 'Siehe Liste.' },
    };
    const kept = new PlanchetError('notices.network-kept', { reason: [error.toFailure(), { message: 'As is.' }] });
    expect(kept.message).toBe('The network was not changed. There is no setting "rpcBimd". As is.');
    expect(kept.hint).toBe(error.hint);
    const arrived = failureSchema.parse(JSON.parse(JSON.stringify(kept.toFailure())));
    expect(translateFailure(arrived, german)).toMatchObject({
      message: 'Nicht gewechselt. Unbekannt: „rpcBimd“. As is.',
      hint: 'Siehe Liste.',
    });
    expect(new PlanchetError('notices.network-kept', { reason: [{ message: 'As is.' }] }).hint).toBeUndefined();
  });

  it('translates a nested reason of the host by its id', () => {
    const reason = phrase('reason.chain-named', { chain: 'main' });
    const inner = new PlanchetError('upstream.wrong-network', { origin: 'a', network: 'test', why: reason });
    expect(inner.message).toContain('it calls its chain "main"');
    const sent = new PlanchetError('gateway.cut-off', { reason: [inner.toFailure()] }).toFailure();
    const arrived = failureSchema.parse(JSON.parse(JSON.stringify(sent)));
    const say = (sentence: unknown) => (sentence === 'a' ? 'a' : JSON.stringify(sentence));
    const texts = { 'upstream.wrong-network': { message: '{why}' }, 'gateway.cut-off': { message: 'Fort: {reason}' } };
    expect(translateFailure(arrived, texts, say).message).toBe(`Fort: ${JSON.stringify(reason)}`);
  });

  it('writes an amount as a person reads it, but a command as it is typed, and a port as it is', () => {
    const values = { spendable: 1_200, needed: 1_000_000, missing: 998_800, address: 'a' };
    const poor = new PlanchetError('wallet.sandbox-funds-insufficient', values);
    expect(poor.message).toBe('The wallet can spend 1,200 satoshis, but 1,000,000 are needed.');
    expect(poor.hint).toBe('The sandbox hands out as much as you want: planchet sandbox fund a 998800');
    expect(new PlanchetError('doctor.port-taken', { port: 9_332, key: 'rpcBind', next: 9_333 })).toMatchObject({
      message: 'Port 9332 is taken by another program.',
      hint: 'Stop it, or choose another port: planchet settings set rpcBind 9333',
    });
    const german = { 'wallet.sandbox-funds-insufficient': { message: '{spendable} von {needed}' } };
    const inGerman = (number: number) => number.toLocaleString('de');
    expect(translateFailure(poor.toFailure(), german, undefined, inGerman).message).toBe('1.200 von 1.000.000');
  });

  it('writes a number that is a name as it is, in any language', () => {
    const refused = new PlanchetError('cli.rpc-failed', { reason: 'Method not found', number: -32_601 });
    expect(refused.message).toBe('Method not found (code -32601)');
    expect(new PlanchetError('import.cover-missing', { id: 5_000_000 }).message).toContain('file 5000000 in');
    const taken = new PlanchetError('mint.number-taken', { number: 1_234 });
    expect(taken.message).toContain('number 1234.');
    const german = { 'mint.number-taken': { message: 'Nummer {number}' } };
    const inGerman = (number: number) => number.toLocaleString('de');
    expect(translateFailure(taken.toFailure(), german, undefined, inGerman).message).toBe('Nummer 1234');
  });

  it('treats the id `constructor` of a received failure as unknown', () => {
    const arrived = { code: 'invalid-input', message: 'As is.', id: 'constructor' } as const;
    expect(translateFailure(arrived, {})).toEqual(arrived);
    expect(httpStatusOf(arrived)).toBe(400);
  });

  it('requires the values of its placeholders', () => {
    // @ts-expect-error the key is missing
    expect(new PlanchetError('settings.unknown-key', {}).message).toContain('{key}');
    // @ts-expect-error there is no such entry
    expect(() => new PlanchetError('settings.unknown')).toThrow(TypeError);
  });

  it('knows whether a retry can help: by its message, else by its code', () => {
    expect(isRetryable(error)).toBe(false);
    const unreachable = new PlanchetError('upstream.unreachable', { origin: 'a', reason: 'b' });
    expect(isRetryable(unreachable)).toBe(true);
    const arrived = failureSchema.parse(JSON.parse(JSON.stringify(new PlanchetError('upstream.none').toFailure())));
    expect(arrived).toMatchObject({ code: 'upstream-unreachable', retryable: false });
    expect(isRetryable(new PlanchetError(arrived))).toBe(false);
  });

  it('derives the HTTP status from the entry, else from the code', () => {
    expect(httpStatusOf(error)).toBe(400);
    expect(httpStatusOf(new PlanchetError('console.body-too-large'))).toBe(413);
  });
});

describe('toFailure', () => {
  it('hides the text of an unknown exception', () => {
    expect(toFailure(new Error('secret'))).toMatchObject({ code: 'internal', id: 'general.internal' });
  });

  it.each(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])('recognizes a full disk by %s', (code) => {
    expect(toFailure(Object.assign(new Error('full'), { code })).code).toBe('disk-full');
  });

  it.each(['SQLITE_IOERR_WRITE', 'SQLITE_READONLY_DBMOVED', 'SQLITE_CORRUPT'])(
    'passes on the words of the database: %s',
    (code) => {
      const failure = toFailure(Object.assign(new Error('disk I/O error'), { code }));
      expect(failure).toMatchObject({ code: 'store-failed', message: expect.stringContaining('disk I/O error') });
    },
  );

  it('hides the text of a faulty query', () => {
    expect(toFailure(Object.assign(new Error('no such table'), { code: 'SQLITE_ERROR' })).code).toBe('internal');
  });
});
