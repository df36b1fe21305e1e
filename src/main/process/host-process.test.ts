import { MessageChannel } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { describe, expect, it } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import type { ConsoleClient } from '../console/http-client.ts';
import type { HostPort } from '../console/message-port.ts';
import { failureOf } from '../console/test-support/failure-of.ts';
import { createFakeHost } from '../console/test-support/fake-host.ts';
import type { createHost, Host, HostOptions } from '../host/host.ts';
import { HostProcess } from './host-process.ts';
import type { FromHost, HostStart, ToHost } from './protocol.ts';

const start: HostStart = {
  dataDir: '/d',
  version: '0.1.0',
  overrides: { network: 'main' },
  safeMode: false,
  rendererDir: '/r',
  weakKeychain: false,
  afterCrash: false,
};

/** A host process in the process of the test, with a host that only notes its calls. */
function open(failing?: Error) {
  const calls: string[] = [];
  const posted: FromHost[] = [];
  const { context } = createFakeHost();
  let send: (message: unknown, ports?: readonly HostPort[]) => void = () => {};
  let options: HostOptions | undefined;
  new HostProcess({
    channel: {
      post: (message) => void posted.push(message),
      onMessage: (listener) => {
        send = (message, ports = []) => listener(message, ports);
      },
    },
    loadHost: async () => ({
      createHost: (async (given) => {
        if (failing) throw failing;
        options = given;
        const host: Pick<Host, 'context' | 'start' | 'stop' | 'sleep' | 'lock'> = {
          context,
          start: async () => void calls.push('start'),
          stop: async () => void calls.push('stop'),
          sleep: async () => void calls.push('sleep'),
          lock: async () => void calls.push('lock'),
        };
        return host as Host;
      }) as typeof createHost,
    }),
    environment: { PLANCHET_PASSPHRASE: 'p' },
    exit: () => void calls.push('exit'),
  });
  const types = (): string[] => posted.map(({ type }) => type);
  return {
    calls,
    posted,
    types,
    send: (message: ToHost, ...ports: HostPort[]) => send(message, ports),
    raw: (message: unknown) => send(message),
    options: () => options,
  };
}

describe('HostProcess', () => {
  it('lets the page of the window name no file of the machine to be read', async () => {
    const { types, send } = open();
    send({ type: 'create', options: start });
    await expect.poll(types).toEqual(['ready', 'created']);
    const { port1, port2 } = new MessageChannel();
    send({ type: 'page', id: 1 }, port1);
    const page = createORPCClient<ConsoleClient>(new RPCLink({ port: port2 }));
    port2.start();
    expect(await failureOf(page.import.open({ paths: ['/etc/hostname'] }))).toMatchObject({ code: 'forbidden' });
    port2.close();
  });

  it('builds, starts and stops a host on demand', async () => {
    const { calls, types, send, options } = open();
    expect(types()).toEqual(['ready']);
    send({ type: 'create', options: start });
    await expect.poll(types).toEqual(['ready', 'created']);
    expect(options()).toMatchObject({ dataDir: '/d', shell: 'desktop', scope: 'all', overrides: { network: 'main' } });
    expect(await options()?.passphrase?.('open')).toBe('p');
    send({ type: 'start' });
    await expect.poll(types).toEqual(['ready', 'created', 'started']);
    send({ type: 'sleep' });
    send({ type: 'stop' });
    await expect.poll(() => calls).toEqual(['start', 'sleep', 'stop', 'exit']);
    expect(types().at(-1)).toBe('stopped');
  });

  it('locks the wallet before and after the start that follows a crash', async () => {
    const { calls, types, send } = open();
    send({ type: 'create', options: { ...start, afterCrash: true } });
    await expect.poll(types).toContain('created');
    expect(calls).toEqual(['lock']);
    send({ type: 'start' });
    await expect.poll(types).toContain('started');
    expect(calls).toEqual(['lock', 'start', 'lock']);
  });

  it('asks the shell for the keychain, value by value', async () => {
    const { posted, types, send, options } = open();
    send({ type: 'create', options: start });
    await expect.poll(types).toContain('created');
    const keychain = options()?.keychain;
    const sealed = keychain?.encrypt('secret');
    const opened = keychain?.decrypt(new Uint8Array([1, 2]));
    expect(posted.slice(-2)).toEqual([
      { type: 'keychain', id: 1, call: 'encrypt', value: 'secret' },
      { type: 'keychain', id: 2, call: 'decrypt', value: new Uint8Array([1, 2]) },
    ]);
    // Answers find their questions in any order.
    send({ type: 'keychain', id: 2, value: undefined, failed: true });
    send({ type: 'keychain', id: 1, value: new Uint8Array([9]), failed: false });
    send({ type: 'keychain', id: 7, value: 'nobody asked', failed: false });
    expect(await sealed).toEqual(new Uint8Array([9]));
    await expect(opened).rejects.toThrow('the keychain failed');
    const again = keychain?.decrypt(new Uint8Array([1, 2]));
    const text = { text: 'secret', resealed: new Uint8Array([3]) };
    send({ type: 'keychain', id: 3, value: text, failed: false });
    expect(await again).toEqual(text);
    const allowed = keychain?.allowsPassphrase();
    send({ type: 'keychain', id: 4, value: true, failed: false });
    expect(await allowed).toBe(true);
    const odd = keychain?.allowsPassphrase();
    send({ type: 'keychain', id: 5, value: 'yes', failed: false });
    expect(await odd).toBe(false);
  });

  it('has no keychain where the shell has none', async () => {
    const { types, send, options } = open();
    send({ type: 'create', options: { ...start, weakKeychain: null } });
    await expect.poll(types).toContain('created');
    expect(options()?.keychain).toBeUndefined();
  });

  it('passes a failure on with code and hint, and only as much of it', async () => {
    const { posted, types, send } = open(new PlanchetError('host.data-folder-full', { dataDir: '/d' }));
    send({ type: 'create', options: start });
    await expect.poll(types).toContain('failed');
    expect(posted.at(-1)).toMatchObject({ failure: { code: 'disk-full', hint: 'Free some room on the disk.' } });
  });

  it.each([null, 'stop', {}, { type: 'nothing' }, { type: 'create' }, { type: 'stop ' }])(
    'ignores the message %j',
    async (message) => {
      const { calls, types, raw } = open();
      raw(message);
      // What it took up would have failed by now.
      await new Promise(setImmediate);
      expect([calls, types()]).toEqual([[], ['ready']]);
    },
  );
});
