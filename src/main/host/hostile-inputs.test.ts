import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { p2pkhScript, readInscription, satoshis, serializeTx } from '../../chain/index.ts';
import {
  MAX_BACKUP_CHARACTERS,
  MAX_SETTINGS_FILE,
  MAX_TRANSACTION_TEXT,
  UPLOAD_PIECE_BYTES,
} from '../../contract/index.ts';
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
import { TransactionUploads } from '../merchant/submission/uploads.ts';
import { shortAsm, viewData, viewInscription } from '../node-format/script-parts.ts';
import { viewOfLink } from '../shell/links/deep-links.ts';
import { TokenApi } from '../studio/projects/token-api.ts';
import { heldBy } from '../test-support/held.ts';
import { HostileThread } from '../test-support/hostile/hostile.ts';
import { readers, type Surface } from '../test-support/hostile/readers.ts';
import { type Around, fewShapes, hostile, type Shape, shapes, within } from '../test-support/hostile/shapes.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost } from '../test-support/hosts/open-host.ts';
import { sealWithPassphrase } from '../vault/passphrase-seal.ts';
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

/** Makes an input, which is not measured. @returns what the host does with it */
type Attacker = (attack: Attack) => Work | Promise<Work>;
type Work = () => Promise<void>;

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
  return (attack: Attack) => async (): Promise<void> => {
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
  return (attack: Attack) => async (): Promise<void> => {
    for (const around of arounds)
      for (const gzip of gzips) {
        const { url = '' } = await thread.order({ do: 'answer', around, gzip, ...attack });
        await ask(url).catch(() => undefined);
      }
  };
}

/** Hands a text to a procedure. */
function given(call: (text: string) => unknown, ...arounds: Around[]): Attacker {
  return ({ shape, bytes }) => {
    const inputs = arounds.map((around) => within(hostile(shape, bytes), around).toString('latin1'));
    return async () => {
      for (const input of inputs) {
        await setImmediate()
          .then(() => call(input))
          .catch(() => undefined);
        await setImmediate();
      }
    };
  };
}

/** Uploads a file in pieces, as the page does. @returns whatever is made of it */
function uploaded(...arounds: Around[]): Attacker {
  return ({ shape, bytes }) => {
    const files = arounds.map((around) => new Blob([Uint8Array.from(within(hostile(shape, bytes), around))]));
    return async () => {
      for (const file of files) {
        const uploads = new TransactionUploads(systemClock);
        const { uploadId } = await uploads.append({ piece: new Blob([]) });
        for (let at = 0; at < file.size; at += UPLOAD_PIECE_BYTES)
          await uploads.append({ uploadId, piece: file.slice(at, at + UPLOAD_PIECE_BYTES) }).catch(() => undefined);
        await uploads.read(uploadId).catch(() => undefined);
        uploads.close();
      }
    };
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

const toApi = (path: string) => () => ({
  url: `${endpoint('console')}/api/${path}`,
  headers: { ...json, authorization: `Bearer ${tokenOf('planchet.lock')}` },
});
const previewSettings = (text: string) => opened.client.settings.previewImport({ text });
const aroundSettings = { before: '{"planchetSettings":1,"settings":', after: '}' };
const PASSPHRASE = 'a passphrase';
const checkBackup = (text: string) => opened.client.wallet.backup.check({ text, passphrase: PASSPHRASE });
const backupHead = '{"format":"planchet-wallet-backup","version":1,"network":"sandbox","sealed":"';
const aroundSealed = { before: backupHead, after: '"}', quoted: true };

/** A backup with the right passphrase whose content is hostile. */
async function sealedContent({ shape, bytes }: Attack): Promise<Work> {
  const content = within(hostile(shape, bytes), { before: '{"entropy":"00","birthHeight":0,"book":', after: '}' });
  const sealed = await sealWithPassphrase(PASSPHRASE, content, 'planchet-wallet-backup 1 sandbox');
  const text = `${backupHead}${JSON.stringify(sealed).slice(1, -1)}"}`;
  return () =>
    checkBackup(text).then(
      () => undefined,
      () => undefined,
    );
}

function withInputs(count: number): Uint8Array {
  const input = { txid: 'ab'.repeat(32), script: new Uint8Array(), sequence: 0 };
  const inputs = Array.from({ length: count }, (_, vout) => ({ ...input, vout }));
  return serializeTx({
    version: 1,
    inputs,
    outputs: [{ satoshis: satoshis(1), script: new Uint8Array() }],
    lockTime: 0,
  });
}

/** How the scripts of an inscription and of a contract begin. */
const HEADS = ['0063036f7264', `76a914${'11'.repeat(20)}88ac6a`];

/** What each surface is sent. A surface of `readers.ts` that is missing here does not compile. */
const attacks: Readonly<Record<Surface, readonly Attacker[]>> = {
  rpc: [
    sent(() => ({ url: `${endpoint('rpc')}/`, headers: rpcHeaders() }), bare, {
      before: '{"id":1,"method":"getblock","params":',
      after: '}',
    }),
  ],
  rest: [sent(() => ({ url: `${endpoint('rpc')}/rest/getutxos.json`, headers: rpcHeaders() }), bare)],
  zmtp: [
    (attack) => async () => {
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
    sent(toApi('wallet/backup/check'), bare),
    sent(toApi('node/call'), { before: '{"json":{"method":"decodescript","params":[', after: ']}}' }),
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
    sent(toApi('settings/previewImport'), { before: '{"json":{"text":"', after: '"}}', quoted: true }),
    given(previewSettings, bare, aroundSettings),
    // the longest file
    ({ shape }) => given(previewSettings, aroundSettings)({ shape, bytes: MAX_SETTINGS_FILE - 100 }),
  ],
  backups: [
    sent(toApi('wallet/backup/check'), {
      before: '{"json":{"passphrase":"none","text":"',
      after: '"}}',
      quoted: true,
    }),
    given(checkBackup, bare, aroundSealed),
    ({ shape, bytes }) =>
      given(checkBackup, aroundSealed)({ shape, bytes: Math.min(bytes, MAX_BACKUP_CHARACTERS / 2) }),
    ({ shape, bytes }) => sealedContent({ shape, bytes: Math.min(bytes, MAX_BACKUP_CHARACTERS / 2 - 1_000) }),
  ],
  transactions: [
    sent(toApi('tx/decode'), { before: '{"json":{"source":{"text":"', after: '"}}}', quoted: true }),
    given((text) => {
      const source = { text: text.slice(0, MAX_TRANSACTION_TEXT) };
      return opened.client.tx.decode({ source, offset: 0, limit: 10 });
    }, bare),
    uploaded(bare, { before: '[[' }),
    ({ bytes }) => {
      const hex = Buffer.from(withInputs(Math.floor(Math.min(bytes, MAX_TRANSACTION_TEXT / 2 - 100) / 41))).toString(
        'hex',
      );
      const source = { text: hex };
      return () =>
        opened.client.tx.decode({ source, offset: 0, limit: 10 }).then(
          () => undefined,
          () => undefined,
        );
    },
  ],
  // studio/import/hostile-files.test.ts sends files of its own shapes, which are read from the disk
  imports: [],
  links: [given(viewOfLink, { before: 'planchet://open/' })],
  scripts: [
    ...['', ...HEADS, '006a'].map(
      (head): Attacker =>
        ({ shape, bytes }) =>
          readScript(Buffer.concat([Buffer.from(head, 'hex'), hostile(shape, bytes)])),
    ),
    // pushes of one byte, operations, envelopes within envelopes, and a contract whose schema is all brackets
    ...['01010102', '51', '00', '63', '0063036f726468'].flatMap((unit, n) =>
      (LONG ? ['', ...HEADS] : [['', ...HEADS][n % 3] as string]).map(
        (head): Attacker =>
          ({ bytes }) => {
            const script = Buffer.alloc(bytes, Buffer.from(unit, 'hex'));
            Buffer.from(head, 'hex').copy(script);
            return readScript(script);
          },
      ),
    ),
  ],
};

/** Reads it as each reader does, and as the schema of a contract. */
function readScript(bytes: Buffer): Work {
  const script = Uint8Array.from(bytes);
  const pushed = Buffer.alloc(5, 0x4e);
  pushed.writeUInt32LE(script.length, 1);
  const contract = Uint8Array.from(Buffer.concat([p2pkhScript(new Uint8Array(20)), Buffer.of(0x6a), pushed, script]));
  return () => readScripts(script, contract);
}

/** Each reader in a turn of its own, as they run in different places. */
async function readScripts(script: Uint8Array, contract: Uint8Array): Promise<void> {
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
        const works: Work[] = [];
        for (const one of round) works.push(await attack(one));
        const all = async (): Promise<void> => {
          for (const work of works) await work();
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
