/**
 * Switches that let another program read this one, or take a guard away. Electron and Chromium read them before any code of ours runs, so
 * the only safe answer is not to start. Names as Electron and Chromium write them, without dashes.
 */
export const dangerousSwitches: readonly string[] = [
  // another program reads the memory or runs code
  'inspect',
  'inspect-brk',
  'inspect-wait',
  'inspect-port',
  'inspect-publish-uid',
  'js-flags',
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-address',
  'remote-debugging-socket-name',
  'remote-debugging-targets',
  'remote-allow-origins',
  'auto-open-devtools-for-tabs',
  'load-extension',
  'disable-extensions-except',
  'gpu-launcher',
  'renderer-cmd-prefix',
  'utility-cmd-prefix',
  'browser-subprocess-path',
  'register-pepper-plugins',
  // a guard of the page or of its process is gone
  'no-sandbox',
  'disable-sandbox',
  'disable-gpu-sandbox',
  'disable-seccomp-filter-sandbox',
  'disable-setuid-sandbox',
  'disable-namespace-sandbox',
  'disable-web-security',
  'disable-site-isolation-trials',
  'allow-file-access-from-files',
  'allow-running-insecure-content',
  'unsafely-treat-insecure-origin-as-secure',
  'single-process',
  'in-process-gpu',
  // the key of the vault would be sealed with a key that everyone has
  'use-mock-keychain',
  // what goes over the network can be read
  'ignore-certificate-errors',
  'ignore-certificate-errors-spki-list',
  'ignore-urlfetcher-cert-requests',
  'host-rules',
  'host-resolver-rules',
  'log-net-log',
  'ssl-key-log-file',
];

/**
 * The first dangerous switch of this start, with the value left out.
 * @param hasSwitch asks Chromium's own command line
 * @param args every argument of the process, as switches of Node never reach Chromium's command line
 */
export function dangerousSwitch(hasSwitch: (name: string) => boolean, args: readonly string[]): string | undefined {
  const given = new Set(args.map(switchName));
  return dangerousSwitches.find((name) => given.has(name) || hasSwitch(name));
}

/** `--Inspect_Brk=9229` is `inspect-brk` to Node, `/no-sandbox` is one to Chromium on Windows. */
function switchName(argument: string): string | undefined {
  const match = /^(?:--?|\/)([A-Za-z][A-Za-z0-9_-]*)(?:=|$)/.exec(argument);
  return match?.[1]?.toLowerCase().replaceAll('_', '-');
}
