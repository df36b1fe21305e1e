import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { DoubleEvent } from '../test-support/app-double.ts';
import { DoubleContents, DoubleSession } from '../test-support/electron-double.ts';
import { guardContents, guardSession } from './guards.ts';

const logger = pino({ level: 'silent' });
const APP = 'planchet://app/';
const elsewhere = [
  'https://evil.example/',
  'http://localhost:9400/',
  'file:///etc/passwd',
  'planchet://other/',
  'planchet://app.evil.example/',
  'planchet://user@app/',
  'planchet-x://app/',
  'javascript:alert(1)',
  'data:text/html,hello',
  'blob:planchet://app/1',
  'about:blank',
  'no address',
  '',
];

describe('guardContents', () => {
  let contents: DoubleContents;
  let links: string[];
  const prevented = (name: string, event: DoubleEvent): boolean => {
    contents.emit(name, event);
    return event.prevented;
  };

  beforeEach(() => {
    contents = new DoubleContents();
    links = [];
    guardContents(contents as never, { logger, openLink: (url) => links.push(url) });
  });

  it.each(elsewhere)('blocks a navigation to %s', (url) => {
    for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      expect(prevented(name, new DoubleEvent(url))).toBe(true);
    }
  });

  it('lets the page reload itself', () => {
    for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      expect(prevented(name, new DoubleEvent(`${APP}#/wallet`))).toBe(false);
    }
  });

  it('lets the page fill a frame, and never lets a frame navigate', () => {
    expect(prevented('will-frame-navigate', new DoubleEvent('about:srcdoc', false))).toBe(false);
    for (const url of [APP, ...elsewhere.filter((address) => address !== 'about:blank')]) {
      expect(prevented('will-frame-navigate', new DoubleEvent(url, false))).toBe(true);
    }
  });

  it('opens no window, no webview and no device', () => {
    expect(contents.windowOpenHandler?.({ url: 'https://a.example/' })).toEqual({ action: 'deny' });
    expect(links).toEqual(['https://a.example/']);
    expect(prevented('will-attach-webview', new DoubleEvent())).toBe(true);
    let chosen: string | undefined;
    contents.emit('select-bluetooth-device', new DoubleEvent(), [{ deviceId: 'd' }], (id: string) => {
      chosen = id;
    });
    expect(chosen).toBe('');
  });
});

describe('guardSession', () => {
  let session: DoubleSession;
  beforeEach(() => {
    session = new DoubleSession();
    guardSession(session as never, { logger });
  });

  const requested = (permission: string, isMainFrame: boolean, requestingUrl: string): boolean | undefined => {
    let granted: boolean | undefined;
    const callback = (answer: boolean): void => {
      granted = answer;
    };
    session.call('permissionRequest', {}, permission, callback, { isMainFrame, requestingUrl });
    return granted;
  };
  const checked = (permission: string, isMainFrame: boolean, origin: string): unknown =>
    session.call('permissionCheck', {}, permission, origin, { isMainFrame });

  it('lets the page copy text, and grants no other permission', () => {
    expect(requested('clipboard-sanitized-write', true, APP)).toBe(true);
    expect(checked('clipboard-sanitized-write', true, 'planchet://app')).toBe(true);
    const permissions = [
      'clipboard-read',
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'loopback-network',
      'hid',
      'usb',
    ];
    for (const permission of [...permissions, 'serial', 'fileSystem', 'local-network-access', 'unknown']) {
      expect(requested(permission, true, APP)).toBe(false);
      expect(checked(permission, true, APP)).toBe(false);
    }
    for (const url of elsewhere) {
      expect(requested('clipboard-sanitized-write', true, url)).toBe(false);
      expect(checked('clipboard-sanitized-write', true, url)).toBe(false);
    }
    expect(requested('clipboard-sanitized-write', false, APP)).toBe(false);
    expect(checked('clipboard-sanitized-write', false, APP)).toBe(false);
  });

  it('chooses no device and no screen', () => {
    expect(session.call('devicePermission', { deviceType: 'usb' })).toBe(false);
    const chosen: unknown[] = [];
    const callback = (answer?: unknown): void => void chosen.push(answer);
    session.call('displayMedia', {}, callback);
    const event = new DoubleEvent();
    session.emit('select-hid-device', event, {}, callback);
    session.emit('select-usb-device', event, {}, callback);
    session.emit('select-serial-port', event, [], {}, callback);
    expect(event.prevented).toBe(true);
    expect(chosen).toEqual([null, null, undefined, '']);
  });

  it('allows downloads of content the page made, and no others', () => {
    const download = (url: string): boolean => {
      const event = new DoubleEvent();
      session.emit('will-download', event, { getURL: () => url });
      return event.prevented;
    };
    expect(download('blob:planchet://app/6b1f')).toBe(false);
    for (const url of ['https://evil.example/a.exe', 'blob:https://evil.example/1', 'data:text/plain,a', APP]) {
      expect(download(url)).toBe(true);
    }
  });

  const cancelled = (url: string, guarded = session): boolean | undefined => {
    let cancel: boolean | undefined;
    const callback = (answer: { cancel: boolean }): void => {
      cancel = answer.cancel;
    };
    guarded.call('beforeRequest', { url, resourceType: 'xhr' }, callback);
    return cancel;
  };

  it('lets no request leave for the network', () => {
    for (const url of [`${APP}assets/a.js`, 'data:image/png;base64,AA==', 'blob:planchet://app/1']) {
      expect(cancelled(url)).toBe(false);
    }
    for (const url of [
      'https://evil.example/',
      'http://127.0.0.1:8332/',
      'ws://localhost:1/',
      'file:///etc/passwd',
      '',
    ]) {
      expect(cancelled(url)).toBe(true);
    }
    expect(cancelled('blob:https://evil.example/1')).toBe(true);
  });

  it('allows the development server if there is one, and no other host', () => {
    const guarded = new DoubleSession();
    guardSession(guarded as never, { logger, devServer: 'http://localhost:5173' });
    expect(cancelled('ws://localhost:5173/?token=a', guarded)).toBe(false);
    expect(cancelled('ws://localhost:5174/', guarded)).toBe(true);
    expect(cancelled('https://localhost:5173/', guarded)).toBe(true);
  });
});
