import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PORT_CHANNEL } from '../main/shell/window/port-broker.ts';
import { PORT_MESSAGE } from '../renderer/api/connection/port.ts';

const { ipc } = vi.hoisted(() => ({ ipc: { sent: [] as unknown[][], emitter: undefined as unknown } }));

// Outside of Electron its package has no such part to import.
vi.mock('electron', () => ({
  ipcRenderer: {
    on: (name: string, listener: () => void) => (ipc.emitter as EventEmitter).on(name, listener),
    send: (...args: unknown[]) => ipc.sent.push(args),
  },
}));

afterEach(() => vi.unstubAllGlobals());

describe('the preload script', () => {
  it('hands the page one port, to its own origin, and exposes nothing', async () => {
    const emitter = new EventEmitter();
    ipc.emitter = emitter;
    const listeners = new Map<string, () => void>();
    const posted: unknown[][] = [];
    const window = {
      addEventListener: (name: string, listener: () => void) => listeners.set(name, listener),
      postMessage: (...args: unknown[]) => posted.push(args),
    };
    vi.stubGlobal('window', window);
    vi.stubGlobal('location', { origin: 'planchet://app' });
    const before = Object.keys(window);

    await import('./index.ts');
    expect(ipc.sent).toEqual([]);
    listeners.get('load')?.();
    expect(ipc.sent).toEqual([[PORT_CHANNEL]]);

    const port = {};
    emitter.emit(PORT_CHANNEL, { ports: [port, {}] });
    emitter.emit(PORT_CHANNEL, { ports: [] });
    expect(posted).toEqual([[PORT_MESSAGE, 'planchet://app', [port]]]);
    expect(Object.keys(window)).toEqual(before);
  });
});
