import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, tools } from '../paths.ts';
import { buildTokenLibrary } from './build-token.ts';

let folder: string;
let app: string;

/** npm's own variables would send it back to this project. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

function run(program: string, args: readonly string[], cwd: string) {
  const shell = process.platform === 'win32' && program === 'npm';
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, shell, encoding: 'utf8', timeout: 240_000 });
  return { status, stdout, stderr };
}

/** Installs the packed library in an empty folder: from the registry, or with copies of its dependencies if there is none. */
function install(tarball: string): void {
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0', '--fetch-timeout=30000'];
  if (run('npm', ['install', ...options, tarball], app).status === 0) return;
  const target = join(app, 'node_modules', 'planchet-token');
  rmSync(join(app, 'node_modules'), { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const unpacked = run('tar', ['-xzf', tarball, '--strip-components=1', '-C', target], folder);
  expect(unpacked).toMatchObject({ status: 0 });
  const { dependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as { dependencies: object };
  for (const name of Object.keys(dependencies)) {
    cpSync(join(root, 'node_modules', name), join(app, 'node_modules', name), { recursive: true });
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-package-'));
  app = join(folder, 'app');
  mkdirSync(app);
  const library = join(folder, 'token');
  await buildTokenLibrary(library);
  const packed = run('npm', ['pack', library, '--pack-destination', folder, '--json'], folder);
  expect(packed.status, packed.stderr).toBe(0);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  install(join(folder, tarball as string));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = `
import { LockingScript, PrivateKey, type PublicKey } from '@bsv/sdk';
import * as token from 'planchet-token';
import {
  type BuiltTransaction, contract, type ContractParams, decodeToken, issue, type SchemaError, type TokenSchema, TokenError, traceToken,
  transfer, unsignedTransfer, type UnsignedTransaction, type Utxo,
} from 'planchet-token';

const key = PrivateKey.fromHex('01'.padStart(64, '0'));
const owner = PrivateKey.fromHex('02'.padStart(64, '0'));
const hash = token.hash160(token.publicKeyOf(key));
const script = token.p2pkhScript(hash);
const chain = new Map<string, token.Tx>();
const coinTx: token.Tx = { version: 1, inputs: [], outputs: [{ satoshis: token.satoshis(1_000), script }], lockTime: 0 };
const coin: Utxo = { txid: token.txidOf(coinTx), vout: 0, satoshis: token.satoshis(1_000), lockingScript: script };
chain.set(coin.txid, coinTx);

const schema: TokenSchema = { symbol: 'APP', satsPerToken: 1, tokenId: token.toHex(hash), totalSupply: 1_000, own: { any: ['thing'] } };
const params: ContractParams<PrivateKey> = { issuerKey: key, inputUtxos: [coin], schema, tokenSatoshis: 1_000 };
const made: BuiltTransaction = contract(params);
const address = token.encodeAddress(token.hash160(token.publicKeyOf(owner)), 'main');
const issued = issue({
  issuerKey: key,
  issueInfo: [{ address, satoshis: 1_000 }],
  contractUtxo: made.outputs[0]!,
  isSplittable: true,
  symbol: 'APP',
});
for (const { txid, tx } of [made, issued]) chain.set(txid, tx);
const unsigned: UnsignedTransaction = unsignedTransfer({
  ownerKey: token.publicKeyOf(owner),
  tokenUtxo: issued.outputs[0]!,
  destination: token.encodeAddress(token.hash160(token.publicKeyOf(PrivateKey.fromRandom())), 'main'),
});
const symbol: string | undefined = decodeToken(issued.outputs[0]!.lockingScript)?.symbol;
const trace = await traceToken(issued.outputs[0]!, async (txid) => chain.get(txid), { signal: AbortSignal.timeout(60_000) });
let code = '';
try {
  transfer({ ownerKey: owner, tokenUtxo: coin, destination: address });
} catch (error) {
  if (error instanceof TokenError) code = error.code;
}
const refused = (error: unknown): error is SchemaError => error instanceof token.SchemaError;
const publicKey: PublicKey = key.toPublicKey();
// @ts-expect-error: a transfer needs a token
if (refused(null)) transfer({ ownerKey: key, destination: address });
console.log(JSON.stringify([symbol, unsigned.fee, trace.steps.map(({ action }) => action), code, typeof LockingScript, publicKey.toString().length]));
`;

describe('the token library as a separate package', () => {
  it('installs with the two packages it needs and nothing else', () => {
    const modules = join(app, 'node_modules');
    const installed = readdirSync(modules).filter((name) => !name.startsWith('.'));
    expect(installed.sort()).toEqual(['@bsv', 'planchet-token', 'zod']);
    expect(readdirSync(join(modules, '@bsv'))).toEqual(['sdk']);
    expect(readdirSync(join(modules, 'planchet-token')).sort()).toEqual([
      'README.md',
      'index.d.ts',
      'index.js',
      'package.json',
    ]);
    expect(existsSync(join(modules, 'planchet-token', 'node_modules'))).toBe(false);
  });

  it('imports nothing that its package.json does not list', () => {
    const library = join(app, 'node_modules', 'planchet-token');
    const { dependencies } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as {
      dependencies: object;
    };
    const named = Object.keys(dependencies);
    expect(named).toEqual(['@bsv/sdk', 'zod']);
    for (const file of ['index.js', 'index.d.ts']) {
      const text = readFileSync(join(library, file), 'utf8');
      const imported = [...text.matchAll(/^(?:import|export)\b[^'"]*?\bfrom ["']([^'"]+)["']/gm)].map(
        ([, id]) => id as string,
      );
      const packages = new Set(
        imported.map((id) => named.find((name) => id === name || id.startsWith(`${name}/`)) ?? id),
      );
      expect([...packages].sort(), file).toEqual(named);
    }
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('type-checks a strict program with the modules of %s under %s', { tags: 'long' }, (module, moduleResolution) => {
    writeFileSync(join(app, 'program.ts'), PROGRAM);
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--module',
      module,
      '--moduleResolution',
      moduleResolution,
    ];
    // no types of Node
    const args = [tools.tsc, ...options, '--types', '', 'program.ts'];
    // The SDK's own declarations have errors, which are ignored.
    const { status, stdout, stderr } = run(process.execPath, args, app);
    const errors = stdout.split('\n').filter((line) => /error TS\d+/.test(line));
    expect(errors.filter((line) => !line.startsWith('node_modules/@bsv/sdk/'))).toEqual([]);
    expect([status, stderr]).toEqual([errors.length === 0 ? 0 : 1, '']);
  });

  it('runs a program written against it', () => {
    writeFileSync(join(app, 'program.ts'), PROGRAM);
    const { status, stdout, stderr } = run(process.execPath, ['program.ts'], app);
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(['APP', 0, ['issue'], 'not-a-token', 'function', 66]);
  });
});
