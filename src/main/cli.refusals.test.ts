import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callCommand } from './test-support/hosts/call-command.ts';
import { runCommand } from './test-support/hosts/command-line.ts';
import { startHere } from './test-support/hosts/start-here.ts';

let folder: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-refusals-'));
  writeFileSync(join(folder, 'a.txt'), 'a');
  writeFileSync(join(folder, 'none.json'), '{');
  writeFileSync(join(folder, 'empty.png'), '');
  writeFileSync(join(folder, 'large.png'), '');
  truncateSync(join(folder, 'large.png'), 100_000_000);
  writeFileSync(join(folder, 'odd.zzz'), new Uint8Array([0, 1, 2, 255]));
  host = await startHere({ dataDir: join(folder, 'data') });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const TXID = 'ab'.repeat(32);
const MAIN = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const TEST = 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8';

/** What is typed, the exit code, the error's code, and what its message names. `@` stands for the folder with the test's files. */
const catalogue: [args: string[], code: 1 | 2, error: string, named: RegExp][] = [
  // wrong usage
  [[], 2, 'usage', /No command/],
  [['sandbox'], 2, 'usage', /No command/],
  [['frobnicate'], 2, 'usage', /"frobnicate"/],
  [['serv'], 2, 'usage', /"serv"/],
  [['mint'], 2, 'usage', /^FILE is missing/],
  [['mint', '@/a.txt', '--wait', 'forever'], 2, 'usage', /^--wait: "forever" is not possible\. .*mined/],
  [['mint', '@/a.txt', '--trait', 'x'], 2, 'usage', /^--trait: "x" .*key=value/],
  [['mint', '@/a.txt', '--nmae', 'x'], 2, 'usage', /"--nmae"/],
  [['doctor', '--data-dir'], 2, 'usage', /^--data-dir needs a value/],
  [
    ['send', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfx', '9'],
    2,
    'usage',
    /^OUTPOINT: .*\. "planchet wallet send" sends coins\.$/,
  ],
  [['doctor', '--data-dir', '--safe-mode'], 2, 'usage', /^--data-dir: "--safe-mode" is not possible/],
  [['--network', 'mars', 'doctor'], 2, 'usage', /^--network: "mars" .*sandbox, private, test, main/],
  [['--set', 'nothing', 'doctor'], 2, 'usage', /^--set: "nothing" .*key=value/],
  [['doctor', 'x'], 2, 'usage', /too many arguments|Too many arguments/],
  [['sandbox', 'mine', 'x'], 2, 'usage', /^BLOCKS: "x" .*whole number/],
  [['sandbox', 'mine', '-1'], 2, 'usage', /^BLOCKS: "-1" .*whole number/],
  [['sandbox', 'mine', '-1s'], 2, 'usage', /"-1s"/],
  [['sandbox', 'fund', TEST, '1.5'], 2, 'usage', /^SATOSHIS: "1\.5"/],
  [['wallet', 'restore', '--birth-height', 'x'], 2, 'usage', /^--birth-height: "x"/],
  [['token', 'contract'], 2, 'usage', /^--schema is missing/],
  [['token', 'split', `${TXID}_0`, 'self'], 2, 'usage', /^ADDRESS=SATOSHIS: "self"/],
  [['callbacks', '--txid', TXID.slice(1)], 2, 'usage', /^--txid: .*64 hex digits/],
  [['verify', '@/a.txt', '--txid', 'x'], 2, 'usage', /^--txid: .*64 hex digits/],
  [['tx', 'watch', TXID.toUpperCase(), '00'], 2, 'usage', /^TXID: "00" .*64 hex digits/],
  [['callbacks', '--count', 'abc'], 2, 'usage', /^--count: "abc" .*whole number/],
  [['settings', 'set', 'rpcBind'], 2, 'usage', /^VALUE is missing/],
  // refusals
  [['sandbox', 'fund', 'bad', '1000'], 1, 'address-invalid', /^ADDRESS cannot be used/],
  [['sandbox', 'fund', MAIN, '1000'], 1, 'address-wrong-network', /^ADDRESS is an address of the main network/],
  [['sandbox', 'fund', TEST, '0'], 1, 'invalid-input', /SATOSHIS/],
  [['sandbox', 'mine', '0'], 1, 'invalid-input', /BLOCKS/],
  [['sandbox', 'reorg', '0'], 1, 'invalid-input', /BLOCKS/],
  [['sandbox', 'double-spend', 'x'], 1, 'invalid-input', /TXID/],
  [['sandbox', 'double-spend', TXID], 1, 'not-found', /./],
  [['sandbox', 'relay', 'zz'], 1, 'invalid-input', /RAWTX/],
  [['sandbox', 'fault', 'nothing'], 2, 'usage', /^NAME: .*latency/],
  [['sandbox', 'fault', 'latency', '--times', '0'], 1, 'invalid-input', /--times/],
  [['sandbox', 'fault', 'latency', '--area', 'moon'], 1, 'invalid-input', /--area/],
  [['sandbox', 'clock', 'noon'], 1, 'invalid-input', /^TIME: "noon"/],
  [['sandbox', 'revert', 'none'], 1, 'not-found', /none/],
  [['sandbox', 'snapshot', '../x'], 1, 'invalid-input', /NAME/],
  [['sandbox', 'import', '@/none'], 1, 'not-found', /none/],
  [['send-many', '--file', '@/nothing.csv'], 1, 'file-not-found', /There is no file/],
  [['send-many', '--file', '@'], 1, 'file-not-found', /cannot be read/],
  [['mint', '@/none'], 1, 'file-not-found', /none/],
  [['mint', '@'], 1, 'invalid-input', /is not a file/],
  [['mint', '@/empty.png'], 1, 'file-empty', /empty\.png/],
  [['mint', '@/large.png'], 1, 'file-too-large', /large\.png/],
  [['mint', '@/odd.zzz'], 1, 'content-type-unknown', /odd\.zzz/],
  [['mint', '@/a.txt', '--name', ' '], 1, 'invalid-input', /--name/],
  [['mint', '@/a.txt', '--trait', ' = '], 1, 'invalid-input', /--trait/],
  [['mint', '@/a.txt', '--collection', ' '], 1, 'invalid-input', /--collection/],
  [['mint', '@/a.txt', '--to', 'nobody'], 1, 'address-invalid', /./],
  [['mint', '@/a.txt', '--to', MAIN], 1, 'address-wrong-network', /main network/],
  [['settings', 'get', 'nothing'], 1, 'settings-invalid', /"nothing"/],
  [
    ['settings', 'set', 'network', 'main'],
    1,
    'conflict',
    /Missing on it: a node or public services, .* backup of the wallet\.$/,
  ],
  [['settings', 'set', 'network', 'moon'], 1, 'settings-invalid', /^network: /],
  [['settings', 'set', 'rpcBind', 'nonsense'], 1, 'settings-invalid', /^rpcBind: must be host:port/],
  [['settings', 'set', 'bitcoinTimeout', '-5s'], 1, 'settings-invalid', /^bitcoinTimeout: must be a duration/],
  [
    ['settings', 'set', 'bitcoinTimeout', '0'],
    1,
    'settings-invalid',
    /^bitcoinTimeout: must be a duration .* from 1ms/,
  ],
  [['settings', 'set', 'maxTokenBytes', '-5'], 1, 'settings-invalid', /^maxTokenBytes: /],
  [['--set', 'theme=dark', 'doctor'], 1, 'conflict', /--set/],
  [['--network', 'main', 'doctor'], 1, 'conflict', /sandbox network/],
  [['--network', 'main', 'wallet', 'balance'], 1, 'conflict', /sandbox network/],
  [['rpc', 'sendrawtransaction', '00'], 1, 'upstream-error', /./],
  [['rpc', 'getblockhash', '999999'], 1, 'upstream-error', /out of range/],
  [['write', '{'], 1, 'invalid-input', /not JSON/],
  [['write', '{}', '--tag', 'x'.repeat(2_000)], 1, 'invalid-input', /--tag/],
  [['register', 'nobody-gave-me'], 1, 'unauthorized', /API key/],
  [['wallet', 'create'], 1, 'wallet-exists', /already/],
  [['wallet', 'restore', '--seed-file', '@/none'], 1, 'file-not-found', /none/],
  [['wallet', 'backup', '--out', '@/a.txt'], 1, 'conflict', /a\.txt exists/],
  [
    ['--passphrase-file', '@/none', '--network', 'test', '--data-dir', '@/x', 'wallet', 'create'],
    1,
    'file-not-found',
    /none/,
  ],
  [['token', 'contract', '--schema', '@/none'], 1, 'file-not-found', /none/],
  [['token', 'contract', '--schema', '@/none.json'], 1, 'invalid-input', /none\.json/],
  [['token', 'history', 'x'], 1, 'invalid-input', /TOKEN/],
  [['token', 'redeem', `${TXID}_0`], 1, 'not-found', /./],
  [['token', 'transfer', 'x', TEST], 1, 'invalid-input', /TOKEN/],
  [['--data-dir', '@/nobody', 'open'], 1, 'not-running', /not running/],
];

it('the command line says of everything refused what is wrong, in the words of the command line, and what to do', async () => {
  const wrong: unknown[] = [];
  for (const [args, code, errorCode, named] of catalogue) {
    const typed = args.map((arg) => arg.replace(/^@/, folder));
    const ended = await callCommand([
      ...(typed.includes('--data-dir') ? [] : ['--data-dir', join(folder, 'data')]),
      '--json',
      ...typed,
    ]);
    const told = jsonOf(ended.err);
    const right =
      ended.code === code &&
      ended.out === '' &&
      told?.error.code === errorCode &&
      named.test(told.error.message) &&
      told.error.hint !== '' &&
      !/dstAddress|\n\s+at |\.ts:\d/.test(ended.err);
    if (!right) wrong.push({ args, ...ended });
  }
  expect(wrong).toEqual([]);
}, 240_000);

it('the command line writes the same refusals for a person, with the help to read', async () => {
  const { code, out, err } = await runCommand(['sandbox', 'mine', 'x']);
  expect([code, out]).toEqual([2, '']);
  expect(err).toBe('BLOCKS: "x" is not possible. Write a whole number.\n→ Run "planchet sandbox mine --help".\n');
  // what was typed may hold quotes, full stops and lines of its own
  for (const [args, said] of [
    [['sandbox', 'mine', "1'000"], `BLOCKS: "1'000" is not possible. Write a whole number.`],
    [['sandbox', 'mine', 'a. b\nc'], 'BLOCKS: "a. b\nc" is not possible. Write a whole number.'],
    [['wallet', 'sweep', 'x', '--fee-rate', "it's"], `--fee-rate: "it's" is not possible. Write a whole number.`],
    [['--data-dir', '', 'doctor'], '--data-dir: "" is not possible. Write the name of a folder.'],
    [["mi'ne"], `There is no command "mi'ne".`],
  ] as const)
    expect((await callCommand([...args])).err).toContain(said);
  const help = await callCommand(['wallet']);
  expect(help).toMatchObject({ code: 2, err: expect.stringContaining('Usage: planchet wallet') as string });
});

function jsonOf(text: string): { error: { code: string; message: string; hint: string } } | undefined {
  try {
    return JSON.parse(text) as { error: { code: string; message: string; hint: string } };
  } catch {
    return undefined;
  }
}
