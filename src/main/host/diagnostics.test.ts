import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { fromBuffer } from 'yauzl';
import type { DoctorFinding, LogLine } from '../../contract/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { runCommand } from '../test-support/hosts/command-line.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { type TestClient, type TestHost, walletPaid } from '../test-support/hosts/open-host.ts';
import { doctor } from './support/doctor.ts';

const hosts = oneHost();
let dataDir: string;
let host: TestHost['host'];
let client: TestClient;
beforeEach(async () => {
  ({ dataDir, host, client } = await hosts.open());
});

/** The files of a zip, read by another program's reader. */
function unzip(bytes: Buffer): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (failed, zip) => {
      if (failed) return reject(failed);
      const files: Record<string, string> = {};
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, (unreadable, stream) => {
          if (unreadable) return reject(unreadable);
          const parts: Buffer[] = [];
          stream.on('data', (part: Buffer) => parts.push(part));
          stream.once('error', reject);
          stream.once('end', () => {
            files[entry.fileName] = Buffer.concat(parts).toString('utf8');
            zip.readEntry();
          });
        }),
      );
      zip.once('error', reject);
      zip.once('end', () => resolve(files));
      zip.readEntry();
    });
  });
}

const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
];

describe('the diagnostics', () => {
  it('hold what was previewed, and no secret wherever one was planted', async () => {
    await walletPaid(client);
    const secrets: Record<string, string> = {
      rpcPassword: 'Rpc pass/word "7"',
      apiKey: 'service-key-0815-4711',
      upstream: 'up$tream:9%s',
      collector: 'query-token-99',
      database: 'postgres-pass-1',
      passphrase: 'a passphrase of mine',
      wif: new PrivateKey(4_711).toWif(),
      testWif: new PrivateKey(4_712).toWif([0xef]),
      seed: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
      bearer: 'opaque.bearer-value_1',
      session: 'session-cookie-value-5',
      xprv: `xprv9s21ZrQH143K${'3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF'}${'5kejMRNNU3TGtRBeJgk33yuGBxrMPHi'}`,
    };
    const set = (key: string, value: string) => client.settings.set({ key, value });
    await set('rpcPassword', secrets.rpcPassword as string);
    await set('apiKey', secrets.apiKey as string);
    await set('bitcoinRpcUrl', `http://me:${encodeURIComponent(secrets.upstream as string)}@127.0.0.1:9/`);
    await set('otlpEndpoint', `http://127.0.0.1:9/x?key=${secrets.collector}`);
    await set('databaseUrl', `postgres://me:${secrets.database}@127.0.0.1/x`);
    await client.wallet.backup.create({ passphrase: secrets.passphrase as string });
    await client.wallet.unlock({ passphrase: secrets.passphrase as string }).catch(() => {});
    await client.wallet.accounts
      .importKey({ name: 'Paper', wif: secrets.testWif as string, birthHeight: 0 })
      .catch(() => {});
    secrets.words = (await client.wallet.seed.reveal({ passphrase: '' })).words;
    const created = await client.gateway.keys.create({ name: 'a program' });
    secrets.gatewayKey = created.password;
    secrets.link = (await client.app.createLink()).url.split('token=')[1] as string;
    secrets.lock = (JSON.parse(readFileSync(join(dataDir, 'planchet.lock'), 'utf8')) as { token: string }).token;
    secrets.cookie = readFileSync(join(dataDir, '.cookie'), 'utf8').trim().split(':')[1] as string;
    const { logger } = host.context;
    // As a careless line of ours, an error of a library or the words of another server would hold them.
    for (const [name, secret] of Object.entries(secrets)) {
      logger.error(
        {
          [name === 'collector' ? 'token' : name]: secret,
          request: { headers: { authorization: `Bearer ${secret}`, cookie: secret } },
        },
        name,
      );
      logger.error({ err: new Error(`http://user:${encodeURIComponent(secret)}@host/ failed`) }, 'an address');
      logger.error(`GET https://host/path?token=${encodeURIComponent(secret)} was refused`);
      logger.error({ body: JSON.stringify({ passphrase: secret, password: secret, apiKey: secret }) }, 'a body');
    }
    for (const name of ['wif', 'testWif', 'seed', 'words', 'xprv', 'gatewayKey', 'link', 'lock', 'apiKey', 'upstream'])
      logger.error(`it was ${secrets[name]}, they said`);
    logger.error(`cookie __cookie__:${secrets.cookie}`);
    logger.error({ path: '/home/alice/x', other: 'C:\\Users\\alice\\y' }, `${homedir()}/z and ${dataDir}/w`);

    const { id, files, fileName } = await client.diagnostics.preview();
    expect(fileName).toMatch(/^planchet-diagnostics-\d{4}-\d\d-\d\d\.zip$/);
    const zip = Buffer.from(await (await client.diagnostics.zip({ id })).arrayBuffer());
    const unzipped = await unzip(zip);
    expect(unzipped).toEqual(Object.fromEntries(files.map(({ name, text }) => [name, text])));
    expect(Object.keys(unzipped)).toEqual(['about.json', 'settings.json', 'health.json', 'doctor.json', 'log.txt']);
    const whole = `${Object.values(unzipped).join('\n')}\n${zip.toString('latin1')}`;
    const leaks = Object.keys(secrets).filter((name) =>
      formsOf(secrets[name] as string).some((form) => whole.includes(form)),
    );
    expect(leaks).toEqual([]);
    for (const path of ['alice', dataDir, ...(homedir() === '/' ? [] : [`${homedir()}/`])]) {
      expect(whole).not.toContain(path);
    }
    // It is still of use.
    expect(unzipped['log.txt']).toContain('started');
    expect(JSON.parse(unzipped['settings.json'] as string)).toMatchObject({
      network: { value: 'sandbox' },
      rpcPassword: { value: '(set)', origin: 'file' },
    });
    expect(JSON.parse(unzipped['health.json'] as string)).toMatchObject({ services: expect.any(Array) as unknown });
    await client.diagnostics.preview();
    const gone = await client.diagnostics.zip({ id }).catch((error: unknown) => error);
    expect(failureOf(gone)).toMatchObject({ code: 'not-found' });
  });

  it('are written by a command', { tags: 'long' }, async () => {
    const out = join(dataDir, 'report.zip');
    const ended = await runCommand(['--data-dir', dataDir, 'diagnostics', '--out', out]);
    expect(ended).toMatchObject({ code: 0, out: `${out}\n` });
    expect(Object.keys(await unzip(readFileSync(out)))).toContain('settings.json');
  });
});

describe('the log of the host', () => {
  it('is followed from its newest lines on, as it is written', async () => {
    const { logger } = host.context;
    logger.warn({ part: 'a-test', extra: 1 }, 'before');
    const steps = await client.logs.follow();
    const lines: LogLine[] = [];
    const until = async (message: string): Promise<LogLine> => {
      for (;;) {
        const found = lines.find((line) => line.message === message);
        if (found !== undefined) return found;
        const step = await steps.next();
        if (step.done) throw new Error('the log ended');
        lines.push(...step.value.lines);
      }
    };
    expect(await until('before')).toMatchObject({ level: 'warn', detail: '{"extra":1}' });
    logger.error('after');
    expect(await until('after')).toMatchObject({ level: 'error', part: 'api' });
    const numbers = lines.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    await steps.return?.();
    expect(await (await client.logs.file()).text()).toContain('"msg":"before"');
  });

  it('shows what an earlier run wrote first', async () => {
    host.context.logger.info('of the first run');
    await hosts.close();
    ({ client } = await hosts.open({ dataDir }));
    const steps = await client.logs.follow();
    const step = await steps.next();
    const lines = step.done ? [] : step.value.lines;
    const earlier = lines.find(({ message }) => message === 'of the first run');
    expect(earlier?.number).toBeLessThanOrEqual(0);
    await steps.return?.();
  });
});

describe('the doctor', () => {
  const failed = (findings: readonly DoctorFinding[]) => findings.filter(({ ok }) => !ok);

  it('finds nothing wrong with a running host, and names the setting that mends what is', async () => {
    await walletPaid(client);
    // The relay waits until the node is found to be on the chain.
    await expect.poll(async () => failed(await client.doctor.run())).toEqual([]);
    await client.settings.set({ key: 'apiKey', value: 'a key that the service does not know' });
    expect(failed(await client.doctor.run())).toMatchObject([
      { check: 'token API', setting: 'apiKey', fix: expect.stringContaining('apiKey') as string },
    ]);
  });

  it('finds nothing wrong where a command has a host of its own, which runs no servers', async () => {
    await hosts.close();
    ({ client } = await hosts.open({ scope: 'core', dataDir }));
    await walletPaid(client);
    await expect.poll(async () => failed(await client.doctor.run())).toEqual([]);
  });

  it('says of a node that answers what it lacks for the wallet', async () => {
    type Answer = { result: unknown; error: { code: number; message: string } | null };
    const over = (answerOf: (method: string, answer: Answer) => Answer) => {
      const call = async (input: { method: string; params: unknown[] }) =>
        answerOf(input.method, (await client.node.call(input)) as Answer);
      const others = new Proxy(client, {
        get: (all, name) => (name === 'node' ? { call } : all[name as keyof TestClient]),
      });
      return doctor({ dataDir, client: others as never, isHelped: false, portsToTry: undefined });
    };
    const lacks = async (findings: Promise<DoctorFinding[]>) =>
      (await findings).filter(({ check }) => check === 'node data').map(({ ok, failure }) => [ok, failure?.id]);
    await expect.poll(() => lacks(over((_, answer) => answer))).toEqual([[true, undefined]]);
    const notFound = { result: null, error: { code: -32_601, message: 'Method not found' } };
    const commands = over((method, answer) => (method === 'getblockheader' ? notFound : answer));
    expect(await lacks(commands)).toEqual([[false, 'upstream.node-commands']]);
    const pruned = over((method, answer) =>
      method === 'getblockchaininfo' ? { ...answer, result: { ...(answer.result as object), pruned: true } } : answer,
    );
    expect(await lacks(pruned)).toEqual([[false, 'upstream.node-pruned']]);
  });

  it('says what a service warns of, and counts one that cannot do its work as failed', async () => {
    const gateway = async () => (await client.doctor.run()).find(({ check }) => check === 'gateway');
    await client.settings.set({ key: 'ignoreCertificate', value: true });
    const warns = expect.stringMatching(/Warning: .*certificate/) as string;
    await expect.poll(gateway).toMatchObject({ ok: true, message: warns });
    await client.sandbox.faults.set({ name: 'http-error', value: 503, area: 'rpc', times: null });
    await expect.poll(gateway).toMatchObject({ ok: false, service: 'gateway', fix: expect.any(String) as string });
  });
});
