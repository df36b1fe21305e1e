import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ReceiverHarness } from '../../../merchant/callbacks/test-support/receiver-harness.ts';
import { HostileThread } from '../../../test-support/hostile/hostile.ts';
import type { Around } from '../../../test-support/hostile/shapes.ts';
import { closeTestHost, newDataDir, openTestHost, type TestHost } from '../../../test-support/hosts/open-host.ts';
import type { Attack } from './attack.ts';

export let opened: TestHost;
let receiver: ReceiverHarness;
const thread = new HostileThread();

/** Starts the host that is attacked, and who attacks it. */
export async function openTarget(): Promise<void> {
  opened = await openTestHost({ dataDir: newDataDir(), overrides: { 'sandbox.mineOnArrival': '' } });
  receiver = await ReceiverHarness.open();
}

export async function closeTarget(): Promise<void> {
  await thread.close();
  await receiver.close();
  await closeTestHost(opened);
}

export const json = { 'content-type': 'application/json' };
/** Sends a body to a server of ours. What is answered is the server's affair, but it is answered. */
export function sent(to: () => { url: string; headers: Record<string, string> }, ...arounds: Around[]) {
  return (attack: Attack) => async (): Promise<void> => {
    for (const around of arounds) {
      const { status } = await thread.order({ do: 'send', around, ...attack, ...to() });
      expect(status).toBeGreaterThanOrEqual(200);
    }
  };
}

/** Lets a client of ours ask a server that answers so. Whatever it makes of the answer, it ends. */
export function answered(ask: (url: string) => Promise<unknown>, ...arounds: Around[]) {
  return answeredIn([false], ask, ...arounds);
}

/** The same, compressed or not: of our clients, `fetch` alone decompresses. */
export function answeredIn(gzips: readonly boolean[], ask: (url: string) => Promise<unknown>, ...arounds: Around[]) {
  return (attack: Attack) => async (): Promise<void> => {
    for (const around of arounds)
      for (const gzip of gzips) {
        const { url = '' } = await thread.order({ do: 'answer', around, gzip, ...attack });
        await ask(url).catch(() => undefined);
      }
  };
}

/** Bytes that are no HTTP, until the other side hangs up. */
export function sentPlain(to: () => string) {
  return (attack: Attack) => async (): Promise<void> => {
    await thread.order({ do: 'send plain', url: to(), ...attack });
  };
}

export const endpoint = (key: 'rpc' | 'writer' | 'console' | 'sandbox'): string =>
  opened.host.info().endpoints[key] as string;
export const rpcHeaders = () => ({
  ...json,
  authorization: `Basic ${btoa(readFileSync(opened.host.cookieFile, 'utf8'))}`,
});
const tokenOf = (file: string): string =>
  (JSON.parse(readFileSync(join(opened.dataDir, file), 'utf8')) as { token: string }).token;
export const keyed = () => ({ ...json, authorization: `Bearer ${opened.host.sandboxApiKey()}` });
export const toCallback = (kind: 'mapi' | 'arc') => () => {
  const { url, token } = receiver.expected(kind);
  return { url, headers: { ...json, authorization: token } };
};

export const toApi = (path: string) => () => ({
  url: `${endpoint('console')}/api/${path}`,
  headers: { ...json, authorization: `Bearer ${tokenOf('planchet.lock')}` },
});
