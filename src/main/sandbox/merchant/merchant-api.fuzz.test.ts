import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

it('the merchant API survives JSON with endless nesting', async () => {
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
  for (const body of [deep, `{"rawTx":${deep}}`, `{"rawTx":"00","callbackUrl":${deep}}`]) {
    expect([200, 400]).toContain((await sandbox.mapi('POST', '/tx', body)).status);
  }
  const request = `{"projectUid":"x","contentType":"x","b64File":"","metadata":${deep}}`;
  // refused for its size, before anything reads what it says
  expect((await sandbox.token('POST', '/token/one-sat-ord/create-output', request)).status).toBe(413);
});

it('the merchant API answers any JSON with a result or a refusal', async () => {
  const known = fc.constantFrom('rawTx', 'callbackUrl', 'merkleProof', 'merkleFormat', 'dsCheck', 'callbackEncryption');
  const element = fc.oneof(fc.jsonValue(), fc.dictionary(known, fc.jsonValue()));
  await fc.assert(
    fc.asyncProperty(element, fc.boolean(), async (value, many) => {
      const answer = await sandbox.mapi('POST', many ? '/txs' : '/tx', JSON.stringify(many ? [value] : value));
      expect([200, 400]).toContain(answer.status);
      if (answer.status === 200) expect(answer.body.payload).toContain('"returnResult":"failure"');
    }),
    { numRuns: 150 },
  );
});
