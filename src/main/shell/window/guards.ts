import type { Session, WebContents } from 'electron';
import type { ShellLogger } from '../shell-logger.ts';
import { isAppUrl } from './scheme.ts';

export interface GuardOptions {
  logger: ShellLogger;
  /** Called with the address of a link that asked for a window of its own. */
  openLink: (url: string) => void;
  /** Origin of the development server, where there is one. */
  devServer?: string | undefined;
}

/** Keeps every window on the application's page, whatever the page itself tries. */
export function guardContents(contents: WebContents, { logger, openLink }: GuardOptions): void {
  const refuse = (event: { preventDefault(): void }, what: string): void => {
    event.preventDefault();
    logger.warn({ what }, 'blocked a navigation of the window');
  };
  contents.on('will-navigate', (event) => {
    if (!isAppUrl(event.url)) refuse(event, 'navigation');
  });
  contents.on('will-frame-navigate', (event) => {
    const allowed = event.isMainFrame ? isAppUrl(event.url) : isEmptyFrame(event.url);
    if (!allowed) refuse(event, 'frame navigation');
  });
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url)) refuse(event, 'redirect');
  });
  contents.on('will-attach-webview', (event) => refuse(event, 'webview'));
  contents.on('select-bluetooth-device', (event, _devices, callback) => {
    refuse(event, 'bluetooth');
    callback('');
  });
  contents.setWindowOpenHandler(({ url }) => {
    openLink(url);
    return { action: 'deny' };
  });
}

/** Denies a session's pages every permission, device and download the application has no use for, and every request but its own. */
export function guardSession(session: Session, { logger, devServer }: Omit<GuardOptions, 'openLink'>): void {
  session.setPermissionRequestHandler((_contents, permission, callback, { isMainFrame, requestingUrl }) => {
    const granted = isGranted(permission, isMainFrame, requestingUrl);
    if (!granted) logger.warn({ permission }, 'a permission was denied');
    callback(granted);
  });
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin, { isMainFrame }) =>
    isGranted(permission, isMainFrame, requestingOrigin),
  );
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => callback(null));
  session.on('select-hid-device', (event, _details, callback) => {
    event.preventDefault();
    callback(null);
  });
  session.on('select-usb-device', (event, _details, callback) => {
    event.preventDefault();
    callback();
  });
  session.on('select-serial-port', (event, _ports, _contents, callback) => {
    event.preventDefault();
    callback('');
  });
  session.on('will-download', (event, item) => {
    // What the page itself made and offers to save.
    if (item.getURL().startsWith('blob:') && isAppUrl(item.getURL().slice('blob:'.length))) return;
    event.preventDefault();
    logger.warn({}, 'a download was refused');
  });
  session.webRequest.onBeforeRequest((details, callback) => {
    const cancel = !isOwnRequest(details.url, devServer);
    // The address is left out, since it may contain exfiltrated data.
    if (cancel) logger.warn({ resourceType: details.resourceType }, 'a request to the network was refused');
    callback({ cancel });
  });
}

function isGranted(permission: string, isMainFrame: boolean, url: string): boolean {
  return permission === 'clipboard-sanitized-write' && isMainFrame && isAppUrl(url);
}

/** The frame that shows HTML of a token is filled by the page, never from an address. */
function isEmptyFrame(url: string): boolean {
  return url === 'about:srcdoc' || url === 'about:blank';
}

function isOwnRequest(url: string, devServer: string | undefined): boolean {
  if (isAppUrl(url)) return true;
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  if (parsed.protocol === 'data:' || parsed.protocol === 'devtools:') return true;
  if (parsed.protocol === 'blob:') return isAppUrl(url.slice('blob:'.length));
  if (devServer === undefined) return false;
  const { host } = new URL(devServer);
  return parsed.host === host && (parsed.protocol === 'ws:' || parsed.protocol === 'http:');
}
