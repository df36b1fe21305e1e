import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningHost, startHost } from '../../../e2e/support/host.ts';
import { signEnvelope } from '../../chain/index.ts';
import type { MerchantKey } from '../../contract/index.ts';
import { AlteringProxy } from '../test-support/altering-proxy.ts';
import { walletFollows } from '../test-support/hosts/wallet-follows.ts';
import { addMerchantCommands } from './merchant.ts';
import { failureOf } from './shared/run.ts';
import { withClient } from './shared/with-client.ts';
import { runCommand } from './test-support/run-command.ts';

const otherSigner = PrivateKey.fromRandom();
const otherKey = otherSigner.toPublicKey().toString();

let folder: string;
let dataDir: string;
let host: RunningHost;
let proxy: AlteringProxy;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-merchant-cli-'));
  dataDir = join(folder, 'data');
  host = await startHost({ dataDir });
  await walletFollows(host.client());
  proxy = await AlteringProxy.open(host.ready.mapi);
});
afterAll(async () => {
  await host.stop();
  await proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

const globals = () => ({ dataDir, set: {}, json: true, safeMode: false });

const merchant = <T>(...args: string[]) => runCommand<T>(dataDir, addMerchantCommands, ['merchant', ...args]);

/** What a quote is refused with, if it is. */
async function refusal(): Promise<string | undefined> {
  return withClient(globals(), async (client) => {
    const { uid } = await client.projects.create({ name: 'Keys', type: 'single' });
    const { uploadId } = await client.files.begin({ name: 'a.txt', bytes: 1, contentType: '' });
    await client.files.append({ uploadId, offset: 0, piece: new Blob(['a']) });
    const { sha256 } = await client.files.finish({ uploadId });
    const metadata = { name: 'a', description: '', traits: [] };
    const item = await client.items.create({ projectUid: uid, sha256, fileName: 'a.txt', metadata });
    const destination = (await client.wallet.status()).address as string;
    const { problems } = await client.mint.estimate({ itemIds: [item.id], destination });
    return problems.find(({ code }) => code === 'merchant-key-changed')?.hint;
  });
}

it('planchet merchant keys lists the known keys, names the refused one, and accepts it', async () => {
  const set = (value: string) => withClient(globals(), (client) => client.settings.set({ key: 'mapiUrl', value }));
  await set(proxy.url);
  expect(await refusal()).toBeUndefined();
  const [known] = (await merchant<MerchantKey[]>('keys')).value;
  expect(known).toMatchObject({ endpoint: proxy.url, pinned: false, refused: null });

  // the quote is forgotten where another merchant API was asked meanwhile
  await set(host.ready.mapi);
  expect(await refusal()).toBeUndefined();
  proxy.alter = (answer) => {
    const payload = { ...JSON.parse(String(answer.payload)), minerId: otherKey };
    return signEnvelope(JSON.stringify(payload), otherSigner);
  };
  await set(proxy.url);
  expect(await refusal()).toContain(`planchet merchant accept ${otherKey}`);
  expect((await merchant('keys')).text).toContain(`refused ${otherKey}`);
  for (const wrong of ['yes', otherKey.slice(2), `04${'11'.repeat(64)}`]) {
    const failure = await merchant('accept', wrong).then(() => undefined, failureOf);
    expect(failure).toMatchObject({ code: 'invalid-input', hint: expect.stringContaining('unsigned') });
  }
  const elsewhere = await merchant('accept', otherKey, '--endpoint', 'http://127.0.0.1:1/mapi').then(
    () => undefined,
    failureOf,
  );
  expect(elsewhere).toMatchObject({ code: 'not-found' });
  const { value, text } = await merchant<MerchantKey>('accept', otherKey.toUpperCase());
  expect(value).toMatchObject({
    publicKey: otherKey,
    changes: [{ from: known?.publicKey, to: otherKey, reason: 'accepted' }],
  });
  expect(text).toContain(`${otherKey}, known since`);
  expect(await refusal()).toBeUndefined();
  expect((await merchant<MerchantKey>('accept', 'unsigned')).value.publicKey).toBeNull();
});
