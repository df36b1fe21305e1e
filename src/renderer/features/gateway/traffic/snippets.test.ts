import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type snippetKinds, snippetOf } from './snippets.ts';

const run = promisify(execFile);
const has = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0;
const login = '__cookie__:pass word';

const heard: { path: string; authorization: string; body: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    heard.push({ path: request.url ?? '', authorization: request.headers.authorization ?? '', body });
    response.end('{"result":"answered"}');
  });
});
let folder: string;
let connection: { rpc: string; cookieFile: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "planchet o'snippets-"));
  const cookieFile = join(folder, '.cookie');
  writeFileSync(cookieFile, login);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  connection = { rpc: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cookieFile };
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const tools: Readonly<Record<string, (text: string) => [string, string[]]>> = {
  curl: (text) => ['sh', ['-c', text]],
  JavaScript: (text) => [process.execPath, ['--input-type=module', '-e', text]],
  Python: (text) => ['python3', ['-c', text]],
};
const params = `["it's", "say \\"hi\\" \\\\ \\u00e9", 1, null, {"a": [true]}, "$HOME \`x\` %"]`;

describe('a call as a program', () => {
  for (const [kind, tool, name] of [
    ['curl', 'curl', 'curl'],
    ['JavaScript', process.execPath, 'JavaScript'],
    ['Python', 'python3', 'Python'],
  ] as const) {
    it.skipIf(!has(tool))(`runs as ${name}, with the credential and all parameters`, async () => {
      heard.length = 0;
      const of = (method: string, sent: string) => snippetOf(kind, { method, params: sent }, connection) ?? '';
      for (const text of [of('getblock', params), of('REST', '/rest/chaininfo.json?x=$HOME')]) {
        const { stdout } = await run(...(tools[kind] as (text: string) => [string, string[]])(text));
        expect(stdout.trim()).toBe('{"result":"answered"}');
      }
      expect(heard.map(({ path }) => path)).toEqual(['/', '/rest/chaininfo.json?x=$HOME']);
      const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
      expect(heard.map((one) => one.authorization)).toEqual([authorization, authorization]);
      expect(JSON.parse(heard[0]?.body ?? '')).toMatchObject({ method: 'getblock', params: JSON.parse(params) });
    });
  }

  it.skipIf(!has('bitcoin-cli'))('runs as bitcoin-cli', async () => {
    const text = snippetOf('bitcoin-cli', { method: 'getblock', params }, connection) ?? '';
    expect((await run('sh', ['-c', text])).stdout.trim()).toBe('answered');
  });

  it('passes each parameter to bitcoin-cli as one shell word', async () => {
    const words = async (sent: string): Promise<string[]> => {
      const text = snippetOf('bitcoin-cli', { method: 'getblock', params: sent }, connection) ?? '';
      const script = `${text.replace(/^bitcoin-cli/, 'set --')}; for word in "$@"; do printf '%s\\0' "$word"; done`;
      return (await run('sh', ['-c', script])).stdout.split('\0').slice(0, -1);
    };
    const port = new URL(connection.rpc).port;
    const options = ['-rpcconnect=127.0.0.1', `-rpcport=${port}`, `-rpccookiefile=${connection.cookieFile}`];
    expect(await words(params)).toEqual([
      ...options,
      'getblock',
      ...["it's", 'say "hi" \\ é', '1', 'null', '{"a":[true]}', '$HOME `x` %'],
    ]);
    expect(await words('{"blockhash": "ab", "verbosity": 2}')).toEqual([
      ...options,
      '-named',
      'getblock',
      'blockhash=ab',
      'verbosity=2',
    ]);
  });

  it('does not exist for bitcoin-cli and a REST path, nor while the gateway is not listening', () => {
    const rest = { method: 'REST', params: '/rest/chaininfo.json' };
    expect(snippetOf('bitcoin-cli', rest, connection)).toBeNull();
    for (const kind of ['curl', 'JavaScript'] satisfies (typeof snippetKinds)[number][]) {
      expect(snippetOf(kind, rest, { ...connection, rpc: null })).toBeNull();
    }
  });
});
