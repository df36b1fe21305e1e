import type { GatewayCall, GatewayConnection } from '../../../../contract/index.ts';
import { shellQuote } from '../../../lib/shell-quote.ts';
import { curlOf } from '../connect/curl.ts';

type Call = Pick<GatewayCall, 'method' | 'params'>;
type Connection = Pick<GatewayConnection, 'rpc' | 'cookieFile'>;

export const snippetKinds = ['curl', 'bitcoin-cli', 'JavaScript', 'Python'] as const;
type SnippetKind = (typeof snippetKinds)[number];

/**
 * A call as a program that repeats it with the credential of the cookie file and prints the reply.
 * @param params all parameters of the call, as they were sent
 * @returns null if the tool cannot send such a call
 */
export function snippetOf(kind: SnippetKind, call: Call, connection: Connection): string | null {
  if (connection.rpc === null) return null;
  const address = connection.rpc.replace(/\/$/, '');
  switch (kind) {
    case 'curl':
      return curlOf(call, connection);
    case 'bitcoin-cli':
      return call.method === 'REST' ? null : cliOf(call, address, connection.cookieFile);
    case 'JavaScript':
      return javascriptOf(call, address, connection.cookieFile);
    case 'Python':
      return pythonOf(call, address, connection.cookieFile);
  }
}

function cliOf({ method, params }: Call, address: string, cookieFile: string): string | null {
  const { hostname, port } = new URL(address);
  const given = JSON.parse(params || '[]') as unknown;
  const named = !Array.isArray(given);
  const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const words = named
    ? Object.entries((given ?? {}) as Record<string, unknown>).map(([name, value]) => `${name}=${write(value)}`)
    : given.map(write);
  const options = [
    `-rpcconnect=${hostname.replace(/^\[|\]$/g, '')}`,
    `-rpcport=${port || '80'}`,
    `-rpccookiefile=${cookieFile}`,
    ...(named && words.length > 0 ? ['-named'] : []),
  ];
  return ['bitcoin-cli', ...options.map(shellQuote), method, ...words.map(shellQuote)].join(' ');
}

function bodyOf({ method, params }: Call, id: string): string {
  return `{"jsonrpc":"1.0","id":"${id}","method":${JSON.stringify(method)},"params":${params || '[]'}}`;
}

/** Runs in Node 20 and later. */
function javascriptOf(call: Call, address: string, cookieFile: string): string {
  const isRest = call.method === 'REST';
  const url = isRest ? `${address}${call.params}` : `${address}/`;
  const body = isRest ? '' : `  method: 'POST',\n  body: ${JSON.stringify(bodyOf(call, 'javascript'))},\n`;
  return `import { readFileSync } from 'node:fs';

const login = readFileSync(${JSON.stringify(cookieFile)}, 'utf8');
const response = await fetch(${JSON.stringify(url)}, {
${body}  headers: {
    'Content-Type': 'application/json',
    Authorization: 'Basic ' + Buffer.from(login).toString('base64'),
  },
});
console.log(await response.text());`;
}

/** JSON string literals are valid in Python too: both use the same escapes. */
function pythonOf(call: Call, address: string, cookieFile: string): string {
  const isRest = call.method === 'REST';
  const url = isRest ? `${address}${call.params}` : `${address}/`;
  const body = isRest ? '' : `    data=${JSON.stringify(bodyOf(call, 'python'))}.encode(),\n`;
  return `import base64, urllib.error, urllib.request

login = base64.b64encode(open(${JSON.stringify(cookieFile)}, "rb").read()).decode()
request = urllib.request.Request(
    ${JSON.stringify(url)},
${body}    headers={"Content-Type": "application/json", "Authorization": "Basic " + login},
)
try:
    print(urllib.request.urlopen(request).read().decode())
except urllib.error.HTTPError as error:
    print(error.read().decode())`;
}
