import { createSourceClient } from '../../../chain-data/sources/http/source-client.ts';
import { oneSatOutputs } from '../../../chain-data/sources/onesat/owned-outputs.ts';
import { systemClock } from '../../../clock.ts';
import { createChainView } from '../../../gateway/chain/create-chain-view.ts';
import { GatewayService } from '../../../gateway/gateway.ts';
import { clientParts, endpointsOf, quiet, settingsOf } from '../../../gateway/test-support/upstream.ts';
import { NodeClient } from '../../../gateway/upstream/client.ts';
import { testConnection } from '../../../gateway/upstream/health/connection-test.ts';
import { ArcEndpoint } from '../../../merchant/protocols/arc/arc-endpoint.ts';
import { MapiEndpoint } from '../../../merchant/protocols/mapi/mapi-endpoint.ts';
import type { KeyCheck } from '../../../merchant/protocols/mapi/merchant-keys.ts';
import { TokenApi } from '../../../studio/projects/token-api.ts';
import type { Surface } from '../../../test-support/hostile/readers.ts';
import { ExternalWallet } from '../../../wallet/external/external-wallet.ts';
import type { KnownWallet } from '../../../wallet/external/known-wallet.ts';
import { WalletApp } from '../../../wallet/external/wallet-app.ts';
import { PaymailHosts } from '../../../wallet/paymail/paymail-host.ts';
import { FundingService } from '../../../writer/funding/service/funding-client.ts';
import { testNetwork } from '../../networks/network-test.ts';
import { type Attacker, bare } from './attack.ts';
import { answered, answeredIn, opened } from './target.ts';

/** Whose keys answer is asked after the answer was read. */
const anyWallet = { check: async () => undefined } as unknown as KnownWallet;

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
export const tx = { txid: 'ab'.repeat(32), rawTx: new Uint8Array(100) };
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

export const payload = { before: '{"payload":"', after: '"}', quoted: true };
const data = (name: string) => ({ before: `{"success":true,"data":{"${name}":`, after: '}}' });

/** Answers that clients of ours are given. */
export const answers = {
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
} satisfies Partial<Record<Surface, readonly Attacker[]>>;
