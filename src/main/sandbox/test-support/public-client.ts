import type { HttpClient } from '@bsv/sdk';
import type { TestSandbox } from './open-sandbox.ts';

/** Redirects clients of WhatsOnChain, whose addresses are fixed, to a sandbox. */
export function clientOf(sandbox: TestSandbox): HttpClient {
  return {
    async request(url, { method = 'GET', headers, data } = {}) {
      const here = url.replace(/^https:\/\/api\.whatsonchain\.com\/v1\/bsv\/test/, `${sandbox.root}/woc/v1/bsv/test`);
      const answer = await fetch(here, {
        method,
        headers: headers as Record<string, string>,
        ...(data === undefined ? {} : { body: JSON.stringify(data) }),
      });
      const isJson = /json/.test(answer.headers.get('content-type') ?? '');
      const { ok, status, statusText } = answer;
      return { ok, status, statusText, data: isJson ? await answer.json() : await answer.text() } as never;
    },
  };
}
