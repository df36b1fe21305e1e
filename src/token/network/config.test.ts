import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTokenConfig, TokenError } from '../index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-token-'));
});
afterAll(() => rm(folder, { recursive: true }));

const env = { API_USERNAME: 'name', API_PASSWORD: 'secret', NETWORK: 'livenet' };

async function fileWith(text: string): Promise<string> {
  const path = join(folder, `${Math.random()}.json`);
  await writeFile(path, text);
  return path;
}

async function refusal(promise: Promise<unknown>): Promise<TokenError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TokenError);
  return error as TokenError;
}

describe('loadTokenConfig', () => {
  it('reads the fee rate from the file and the rest from the environment', async () => {
    const text = '{"feeRate":{"satoshis":50,"bytes":1000},"apiUrl":"https://node.example/v1/"}';
    const path = await fileWith(text);
    expect(await loadTokenConfig({ path, env })).toEqual({
      feeRate: { satoshis: 50, bytes: 1000 },
      username: 'name',
      password: 'secret',
      network: 'main',
      apiUrl: 'https://node.example/v1',
    });
  });

  it('defaults to the standard rate if the file does not set one, and to the test network for any other network', async () => {
    for (const path of [join(folder, 'none.json'), await fileWith('{}')]) {
      const config = await loadTokenConfig({ path, env: { ...env, NETWORK: 'testnet' } });
      expect(config).toMatchObject({ feeRate: { satoshis: 500, bytes: 1000 }, network: 'test' });
      expect(config.apiUrl).toMatch(/^https:.*\/test$/);
    }
  });

  it('reads NETWORK in any case', async () => {
    const path = join(folder, 'none.json');
    for (const [NETWORK, network] of [
      ['LIVENET', 'main'],
      ['LiveNet ', 'main'],
      ['livenet', 'main'],
      ['TESTNET', 'test'],
    ] as const) {
      expect(await loadTokenConfig({ path, env: { ...env, NETWORK } })).toMatchObject({ network });
    }
  });

  it('lists every missing variable', async () => {
    const path = join(folder, 'none.json');
    const all = await refusal(loadTokenConfig({ path, env: {} }));
    expect(all).toMatchObject({
      code: 'config-missing',
      field: 'API_USERNAME, API_PASSWORD, NETWORK',
      numbers: { missing: 3 },
    });
    const one = await refusal(loadTokenConfig({ path, env: { ...env, API_PASSWORD: '' } }));
    expect(one).toMatchObject({ code: 'config-missing', field: 'API_PASSWORD' });
    expect(one.message).not.toContain('API_USERNAME');
  });

  it('refuses an unusable file, and names the field', async () => {
    const bad: [string, string | undefined][] = [
      ['no json', undefined],
      ['{"feeRate":{"satoshis":-1,"bytes":1000}}', 'feeRate.satoshis'],
      ['{"feeRate":{"satoshis":1,"bytes":0}}', 'feeRate.bytes'],
      ['{"feeRate":{"satoshis":1}}', 'feeRate.bytes'],
      ['{"fee":1}', undefined],
      ['{"apiUrl":"file:///etc/passwd"}', 'apiUrl'],
    ];
    for (const [text, field] of bad) {
      const path = await fileWith(text);
      expect(await refusal(loadTokenConfig({ path, env }))).toMatchObject({
        code: 'config-invalid',
        field: field ?? path,
      });
    }
    expect(await refusal(loadTokenConfig({ path: folder, env }))).toMatchObject({ code: 'config-invalid' });
  });
});
