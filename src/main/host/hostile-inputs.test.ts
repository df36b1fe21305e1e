import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { p2pkhScript, readInscription } from '../../chain/index.ts';
import { MAX_TRANSACTION_TEXT } from '../../contract/miners/submission.ts';
import { decodeContract, decodeToken } from '../../token/index.ts';
import { createSourceClient } from '../chain-data/sources/http/source-client.ts';
import { oneSatOutputs } from '../chain-data/sources/onesat/owned-outputs.ts';
import { systemClock } from '../clock.ts';
import { createChainView } from '../gateway/chain/create-chain-view.ts';
import { GatewayService } from '../gateway/gateway.ts';
import { clientParts, endpointsOf, quiet, settingsOf } from '../gateway/test-support/upstream.ts';
import { NodeClient } from '../gateway/upstream/client.ts';
import { testConnection } from '../gateway/upstream/health/connection-test.ts';
import { ReceiverHarness } from '../merchant/callbacks/test-support/receiver-harness.ts';
import { ArcEndpoint } from '../merchant/protocols/arc/arc-endpoint.ts';
import { MapiEndpoint } from '../merchant/protocols/mapi/mapi-endpoint.ts';
import type { KeyCheck } from '../merchant/protocols/mapi/merchant-keys.ts';
import { shortAsm, viewData, viewInscription } from '../node-format/script-parts.ts';
import { viewOfLink } from '../shell/links/deep-links.ts';
import { TokenApi } from '../studio/projects/token-api.ts';
import { heldBy } from '../test-support/held.ts';
import { HostileThread } from '../test-support/hostile/hostile.ts';
import { readers, type Surface } from '../test-support/hostile/readers.ts';
import { type Around, fewShapes, hostile, type Shape, shapes, within } from '../test-support/hostile/shapes.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost } from '../test-support/hosts/open-host.ts';
import { ExternalWallet } from '../wallet/external/external-wallet.ts';
import type { KnownWallet } from '../wallet/external/known-wallet.ts';
import { WalletApp } from '../wallet/external/wallet-app.ts';
import { PaymailHosts } from '../wallet/paymail/paymail-host.ts';
import { FundingService } from '../writer/funding/service/funding-client.ts';
import { testNetwork } from './networks/network-test.ts';

const LONG = process.env.PLANCHET_LONG !== undefined;
const BOUND = { milliseconds: 250, bytes: 64 * 1_048_576 };
const MIB = 1_048_576;
/** Below and above what surfaces take. */
const SIZES = LONG ? [MIB / 16, MIB, 4 * MIB, 16 * MIB, 64 * MIB] : [MIB / 2];

interface Attack {
  readonly shape: Shape;
  readonly bytes: number;
}

const ATTACKS: readonly Attack[] = SIZES.flatMap((bytes) =>
  (LONG ? shapes : fewShapes).map((shape) => ({ shape, bytes })),
);

let opened: TestHost;
let receiver: ReceiverHarness;
const thread = new HostileThread();
beforeAll(async () => {
  opened = await openTestHost({ dataDir: newDataDir(), overrides: { 'sandbox.mineOnArrival': '' } });
  receiver = await ReceiverHarness.open();
});
afterAll(async () => {
  await thread.close();
  await receiver.close();
  await closeTestHost(opened);
});

/** Whose keys answer is asked after the answer was read. */
const anyWallet = { check: async () => undefined } as unknown as KnownWallet;

const json = { 'content-type': 'application/json' };
const bare: Around = {};

/** Sends a body to a server of ours. What is answered is the server's affair, but it is answered. */
function sent(to: () => { url: string; headers: Record<string, string> }, ...arounds: Around[]) {
  return async (attack: Attack): Promise<void> => {
    for (const around of arounds) {
      const { status } = await thread.order({ do: 'send', around, ...attack, ...to() });
      expect(status).toBeGreaterThanOrEqual(200);
    }
  };
}

/** Lets a client of ours ask a server that answers so. Whatever it makes of the answer, it ends. */
function answered(ask: (url: string) => Promise<unknown>, ...arounds: Around[]) {
  return answeredIn([false], ask, ...arounds);
}

/** The same, compressed or not: of our clients, `fetch` alone decompresses. */
function answeredIn(gzips: readonly boolean[], ask: (url: string) => Promise<unknown>, ...arounds: Around[]) {
  return async (attack: Attack): Promise<void> => {
    for (const around of arounds)
      for (const gzip of gzips) {
        const { url = '' } = await thread.order({ do: 'answer', around, gzip, ...attack });
        await ask(url).catch(() => undefined);
      }
  };
}

/** Hands a text to a procedure. */
function given(call: (text: string) => unknown, ...arounds: Around[]) {
  return async ({ shape, bytes }: Attack): Promise<void> => {
    for (const around of arounds) {
      const text = within(hostile(shape, bytes), around).toString('latin1');
      await setImmediate()
        .then(() => call(text))
        .catch(() => undefined);
      await setImmediate();
    }
  };
}

const endpoint = (key: 'rpc' | 'writer' | 'console' | 'sandbox'): string => opened.host.info().endpoints[key] as string;
const rpcHeaders = () => ({ ...json, authorization: `Basic ${btoa(readFileSync(opened.host.cookieFile, 'utf8'))}` });
const tokenOf = (file: string): string =>
  (JSON.parse(readFileSync(join(opened.dataDir, file), 'utf8')) as { token: string }).token;
const keyed = () => ({ ...json, authorization: `Bearer ${opened.host.sandboxApiKey()}` });
const toCallback = (kind: 'mapi' | 'arc') => () => {
  const { url, token } = receiver.expected(kind);
  return { url, headers: { ...json, authorization: token } };
};

const keys: KeyCheck = {
  check: async (at) => ({ endpoint: at, publicKey: null, since: 0, pinned: false }),
  isTrusted: () => true,
};
const minerOptions = (url: string) => ({
  url: () => url,
  apiKey: () => undefined,
  keys,
  clock: systemClock,
  timeoutMs: 60_000,
});
const tx = { txid: 'ab'.repeat(32), rawTx: new Uint8Array(100) };
const outpoint = { txid: tx.txid, vout: 0 };

const nodeSettings = settingsOf({ bitcoinTimeout: '60s' });

async function withNode(url: string, ask: (node: NodeClient) => Promise<unknown>): Promise<void> {
  const node = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl: url }),
    settings: nodeSettings,
    clock: systemClock,
    apiKey: () => undefined,
  });
  await ask(node).catch(() => undefined);
  await node.close();
}

/** Asks as the console does. */
function askAsConsole(node: NodeClient): Promise<unknown> {
  const parts = { node, network: 'sandbox' as const, clock: systemClock, settings: nodeSettings };
  const gateway = new GatewayService({
    ...parts,
    chain: createChainView(parts),
    endpoints: endpointsOf({}),
    dataDir: opened.dataDir,
    credentialsAreDefault: () => true,
    logger: quiet,
  });
  return gateway.call('getblock', ['00'.repeat(32), 2]);
}

/** Networks → Test, with one server for all addresses. */
function testAll(url: string): Promise<unknown> {
  const miners = (['mapi', 'arc'] as const).map((kind) => ({
    name: kind,
    kind,
    url,
    keyStyle: 'bearer' as const,
    apiKey: () => undefined,
  }));
  return testNetwork({
    network: 'main',
    sources: [],
    endpoints: { baseUrl: url, consoleBaseUrl: url, bitcoinRpcUrl: url, bitcoinZmqUrl: url.replace('http:', 'tcp:') },
    apiKeyHeader: '',
    ignoreCertificate: false,
    apiKey: 'key',
    miners,
    outbound: () => undefined,
    clock: systemClock,
  });
}

async function withTokenApi(url: string, ask: (api: TokenApi) => Promise<unknown>): Promise<void> {
  const api = new TokenApi({
    clock: systemClock,
    network: 'test',
    endpoints: { baseUrl: url, consoleBaseUrl: url, mapiUrl: '', bitcoinRpcUrl: '', bitcoinZmqUrl: '' },
    secrets: { locked: false, get: () => Buffer.from('key'), set: async () => {}, delete: async () => {} },
  });
  api.open();
  await ask(api).catch(() => undefined);
  await api.close();
}

const payload = { before: '{"payload":"', after: '"}', quoted: true };
const data = (name: string) => ({ before: `{"success":true,"data":{"${name}":`, after: '}}' });

/** What each surface is sent. A surface of `readers.ts` that is missing here does not compile. */
const attacks: Readonly<Record<Surface, readonly ((attack: Attack) => Promise<void>)[]>> = {
  rpc: [
    sent(() => ({ url: `${endpoint('rpc')}/`, headers: rpcHeaders() }), bare, {
      before: '{"id":1,"method":"getblock","params":',
      after: '}',
    }),
  ],
  rest: [sent(() => ({ url: `${endpoint('rpc')}/rest/getutxos.json`, headers: rpcHeaders() }), bare)],
  zmtp: [
    async (attack) => {
      const url = opened.host.info().endpoints.zmq as string;
      await thread.order({ do: 'send plain', url: url.replace('tcp:', 'http:'), ...attack });
    },
  ],
  writer: [
    sent(() => ({ url: `${endpoint('writer')}/api/v1/write`, headers: keyed() }), bare),
    sent(
      () => ({
        url: `${endpoint('writer')}/api/v1/write/batch`,
        headers: { ...keyed(), 'content-type': 'application/x-ndjson' },
      }),
      bare,
    ),
  ],
  console: [
    sent(() => ({ url: `${endpoint('console')}/session`, headers: json }), bare),
    sent(
      () => ({
        url: `${endpoint('console')}/api/wallet/backup/check`,
        headers: { ...json, authorization: `Bearer ${tokenOf('planchet.lock')}` },
      }),
      bare,
      { before: '{"json":{"passphrase":"none","text":"', after: '"}}', quoted: true },
    ),
    sent(
      () => ({
        url: `${endpoint('console')}/api/node/call`,
        headers: { ...json, authorization: `Bearer ${tokenOf('planchet.lock')}` },
      }),
      { before: '{"json":{"method":"decodescript","params":[', after: ']}}' },
    ),
  ],
  sandbox: [
    sent(
      () => ({
        url: `${opened.host.info().endpoints.baseUrl}/project/create`,
        headers: { ...json, apikey: opened.host.sandboxApiKey() as string },
      }),
      bare,
    ),
    sent(() => ({ url: `${opened.host.info().endpoints.mapi}/tx`, headers: keyed() }), bare),
    sent(() => ({ url: `${endpoint('sandbox')}/rpc`, headers: json }), bare),
    sent(() => ({ url: `${endpoint('sandbox')}/woc/v1/bsv/test/txs/hex`, headers: json }), bare, {
      before: '{"txids":',
      after: '}',
    }),
    sent(() => ({ url: `${endpoint('sandbox')}/bananablocks/api/v1/tx/broadcast`, headers: json }), {
      before: '{"rawtx":"',
      after: '"}',
      quoted: true,
    }),
  ],
  callbacks: [
    sent(toCallback('mapi'), bare, payload, {
      before: `{"callbackTxId":"${tx.txid}","callbackReason":"merkleProof","callbackPayload":`,
      after: '}',
    }),
    sent(toCallback('arc'), bare, { before: '{"callbacks":', after: '}' }),
  ],
  'miner answers': [
    answered(
      async (url) => {
        const miner = new MapiEndpoint({ miner: { id: 'm', name: 'm', kind: 'mapi' }, ...minerOptions(url) });
        const asks = [
          () => miner.quote(),
          () => miner.submit([tx]),
          () => miner.submit([tx, tx]),
          () => miner.status(tx.txid),
          () => miner.outputs([outpoint]),
        ];
        for (const ask of asks) await ask().catch(() => undefined);
      },
      bare,
      payload,
    ),
    answered(
      async (url) => {
        const miner = new ArcEndpoint({ miner: { id: 'a', name: 'a', kind: 'arc' }, ...minerOptions(url) });
        for (const ask of [
          () => miner.quote(),
          () => miner.complaint(),
          () => miner.submit([tx]),
          () => miner.submit([tx, tx]),
        ])
          await ask().catch(() => undefined);
      },
      bare,
      { before: '{"policy":', after: '}' },
    ),
  ],
  'token service answers': [
    answered((url) => withTokenApi(url, (api) => api.listOutputs('p')), bare, data('outputList'), {
      before: '{"success":true,"data":{"outputList":[{"uid":"u","metadata":',
      after: '}]}}',
    }),
    answered((url) => withTokenApi(url, (api) => api.listProjects()), data('projectList')),
    answered((url) => withTokenApi(url, (api) => api.quota()), data('x')),
  ],
  'wallet answers': [
    answeredIn([false, true], (url) => new ExternalWallet(url, anyWallet).publicKey(0), bare, {
      before: '{"publicKey":',
      after: '}',
    }),
    answeredIn([false, true], (url) => new WalletApp(url).pay({ lockingScript: '51', satoshis: 1 }), bare, {
      before: '{"tx":',
      after: '}',
    }),
    answered(
      (url) => new PaymailHosts({ network: 'private', outbound: () => undefined }).ask('a@b.c', url, { satoshis: 1 }),
      bare,
      { before: '{"capabilities":', after: '}' },
    ),
  ],
  'source answers': [
    answered(
      (url) =>
        createSourceClient({ operator: 'test', baseUrl: url, clock: systemClock, minIntervalMs: 0 }).get('/', {
          kind: 'json',
          limitBytes: 64_000_000,
          deadlineMs: 60_000,
        }),
      bare,
      { before: '{"result":', after: '}' },
    ),
    answered(
      (url) =>
        oneSatOutputs(
          createSourceClient({ operator: 'test', baseUrl: url, clock: systemClock, minIntervalMs: 0 }),
        ).history(['anybody']),
      bare,
      { before: 'data: ', after: '\n\nevent: done\ndata: {}\n\n' },
    ),
  ],
  'funding answers': [
    answered(
      (url) =>
        new FundingService(
          () => url,
          () => 60_000,
        ).templates('key', 100, false),
      bare,
      {
        before: '{"feeTransaction":',
        after: '}',
      },
    ),
  ],
  'node answers': [
    answered((url) => withNode(url, (node) => node.call('getrawmempool')), bare, {
      before: '{"result":',
      after: ',"error":null,"id":0}',
    }),
    answered((url) => withNode(url, (node) => node.callBytes('getblock')), bare, {
      before: '{"result":"',
      after: '"}',
    }),
    answered((url) => withNode(url, askAsConsole), bare, { before: '{"result":', after: ',"error":null,"id":0}' }),
    answered(
      (url) =>
        testConnection({ subject: 'upstream', address: url, headers: {}, ignoreCertificate: false, chains: ['main'] }),
      bare,
    ),
  ],
  'network test': [
    answered(testAll, bare, { before: '{"result":', after: ',"error":null,"id":"test"}' }, data('projectList')),
  ],
  settings: [
    given((text) => opened.client.settings.previewImport({ text }), bare, {
      before: '{"planchetSettings":1,"settings":',
      after: '}',
    }),
  ],
  backups: [
    given((text) => opened.client.wallet.backup.check({ text, passphrase: 'none' }), bare, {
      before: '{"network":"sandbox","sealed":"',
      after: '"}',
      quoted: true,
    }),
  ],
  transactions: [
    given(
      (text) =>
        opened.client.tx.decode({
          source: { text: text.slice(0, MAX_TRANSACTION_TEXT) },
          offset: 0,
          limit: 10,
        } as never),
      bare,
    ),
  ],
  // studio/import/hostile-files.test.ts sends files of its own shapes, which are read from the disk
  imports: [],
  links: [given((text) => viewOfLink(`planchet://open/${text}`), bare)],
  scripts: [
    given(
      readScripts,
      bare,
      ...['0063036f7264', `76a914${'11'.repeat(20)}88ac6a`, '006a'].map((hex) => ({
        before: Buffer.from(hex, 'hex').toString('latin1'),
      })),
    ),
    async ({ bytes }) => {
      // pushes of one byte, operations, envelopes within envelopes, and a contract whose schema is all brackets
      const heads = ['', '0063036f7264', `76a914${'11'.repeat(20)}88ac6a`];
      for (const [n, unit] of ['01010102', '51', '00', '63', '0063036f726468'].entries()) {
        for (const head of LONG ? heads : [heads[n % heads.length] as string]) {
          const script = Buffer.alloc(bytes, Buffer.from(unit, 'hex'));
          Buffer.from(head, 'hex').copy(script);
          await readScripts(script.toString('latin1'));
        }
      }
    },
  ],
};

/** Each reader in a turn of its own, as they run in different places. */
async function readScripts(text: string): Promise<void> {
  const script = new Uint8Array(Buffer.from(text, 'latin1'));
  const pushed = Buffer.alloc(5, 0x4e);
  pushed.writeUInt32LE(script.length, 1);
  const contract = Uint8Array.from(Buffer.concat([p2pkhScript(new Uint8Array(20)), Buffer.of(0x6a), pushed, script]));
  for (const read of [readInscription, decodeToken, viewInscription, viewData]) {
    await setImmediate();
    read(script);
  }
  await setImmediate();
  shortAsm(script, false);
  await setImmediate();
  decodeContract(contract);
  await setImmediate();
}

describe('a hostile input', () => {
  const cases = Object.entries(attacks).flatMap(([surface, all]) => all.map((attack, n) => ({ surface, n, attack })));
  it.each(cases)(
    'of any shape to the surface "$surface" ($n) holds the thread for 250 ms and takes 64 MB at most',
    { timeout: 3_600_000 },
    async ({ attack }) => {
      // in the long run one by one, so that a failure names its shape
      const rounds = LONG ? ATTACKS.map((one) => [one]) : [ATTACKS];
      for (const round of rounds) {
        const all = async (): Promise<void> => {
          for (const one of round) await attack(one);
        };
        const held = await heldBy(all, BOUND);
        const what = JSON.stringify(round);
        expect(held.milliseconds, what).toBeLessThanOrEqual(BOUND.milliseconds);
        expect(held.bytes, what).toBeLessThanOrEqual(BOUND.bytes);
      }
    },
  );
});

describe('the table of surfaces', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  /** What listens, or makes values of text or bytes that may be somebody else’s. */
  const reads =
    /\b(?:listenLocally|createServer|Fastify)\(|from 'undici'|\bfetch\(|\.(?:json|text|arrayBuffer|formData)\(\)|JSON\.parse|\b(?:readForeign\w*|parseForeign|parseScanned)\(|new JsonScan\(|from '(?:csv-parse|yauzl|yaml)/;

  it('names every file that listens or reads, as a part of a surface or as a reader of what is our own', () => {
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => /^(?:main|chain|token)\/.*\.ts$/.test(path) && !/\.test\.ts$|test-support\//.test(path))
      .filter((path) => reads.test(readFileSync(join(root, path), 'utf8')));
    expect(Object.values(readers).flat().sort()).toEqual(found.sort());
  });

  it.each([
    "const server = createServer((request, response) => response.end('hello'));",
    'const app = Fastify();',
    'await listenLocally(server, address);',
    "const answer = await fetch('https://service.example/quote');",
    "import { request } from 'undici';",
    'const asked = (await request.json()) as Asked;',
    'const value = JSON.parse(text) as Message;',
    'const reply = await readForeign(body, bounds);',
    "import { parse } from 'csv-parse/sync';",
  ])('notices a file that has %s', (line) => {
    expect(line).toMatch(reads);
  });
});
