import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogging, Redactor } from './logging.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-log-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const written = (): string =>
  readdirSync(join(dataDir, 'logs'))
    .map((name) => readFileSync(join(dataDir, 'logs', name), 'utf8'))
    .join('');

describe('the log', () => {
  it('lies in files only their owner can read', async () => {
    const log = openLogging(dataDir, 'info');
    log.logger.info('hello');
    log.logger.debug('too detailed');
    await log.close();
    expect(written()).toContain('hello');
    expect(written()).not.toContain('too detailed');
    expect(statSync(join(dataDir, 'logs', 'planchet.log')).mode & 0o077).toBe(0);
  });

  it('takes another level at once, for parts that had a logger before and after', async () => {
    const log = openLogging(dataDir, 'info');
    const before = log.logger.child({ part: 'before' });
    log.setLevel('debug');
    const after = log.logger.child({ part: 'after' });
    for (const logger of [log.logger, before, after]) logger.debug('in detail');
    log.setLevel('error');
    for (const logger of [log.logger, before, after]) logger.info('not any more');
    await log.close();
    expect(written().match(/in detail/g)).toHaveLength(3);
    expect(written()).not.toContain('not any more');
  });

  it('never holds a registered secret, in whatever form', async () => {
    const log = openLogging(dataDir, 'info');
    const secret = 'p@ss "word" / 42';
    log.redactor.add(secret);
    log.logger.info(
      { url: `http://u:${encodeURIComponent(secret)}@h/`, nested: { deep: { text: secret } } },
      `with ${secret}`,
    );
    log.logger.error(new Error(`failed with ${secret}`));
    log.logger.info({ basic: Buffer.from(secret).toString('base64') });
    await log.close();
    const text = written();
    for (const form of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ]) {
      expect(text).not.toContain(form);
    }
    expect(text.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(5);
  });

  it('blanks fields that usually hold secrets', async () => {
    const log = openLogging(dataDir, 'info');
    log.logger.info({
      headers: { authorization: 'Bearer abcdef' },
      password: 'swordfish',
      req: { headers: { cookie: 'session=1234' } },
    });
    await log.close();
    expect(written()).not.toMatch(/abcdef|swordfish|session=1234/);
  });
});

describe('the redactor', () => {
  it('leaves texts too short to be secrets alone', () => {
    const redactor = new Redactor();
    redactor.add('abc');
    redactor.add('');
    expect(redactor.clean('abc def')).toBe('abc def');
  });
});
