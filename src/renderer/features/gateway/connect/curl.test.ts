import { describe, expect, it } from 'vitest';
import { shellQuote } from '../../../lib/shell-quote.ts';
import { curlOf } from './curl.ts';

const connection = { rpc: 'http://127.0.0.1:8332', cookieFile: "/home/o'neil/.cookie" };

describe('a call as a curl command', () => {
  it('contains all parameters and the login of the cookie file', () => {
    expect(curlOf({ method: 'getblockhash', params: '[0]' }, connection)).toBe(
      `curl --user "$(cat '/home/o'\\''neil/.cookie')" -H 'Content-Type: application/json' ` +
        `--data '{"jsonrpc":"1.0","id":"curl","method":"getblockhash","params":[0]}' 'http://127.0.0.1:8332/'`,
    );
  });

  it('escapes quotes inside parameters for the shell', () => {
    expect(shellQuote(`it's`)).toBe(`'it'\\''s'`);
    expect(curlOf({ method: 'help', params: `["a'b; rm -rf /"]` }, connection)).toContain(`["a'\\''b; rm -rf /"]`);
  });

  it('uses the path of a REST call', () => {
    expect(curlOf({ method: 'REST', params: '/rest/chaininfo.json' }, connection)).toMatch(
      /'http:\/\/127\.0\.0\.1:8332\/rest\/chaininfo\.json'$/,
    );
  });
});
