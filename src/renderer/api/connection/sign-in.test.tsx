import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let client: typeof import('../client.ts').client;
let useConnection: typeof import('./connection.ts').useConnection;

// Tests of other files share this page, and may have left it connected, or a sign-in pending.
beforeEach(async () => {
  vi.resetModules();
  ({ client } = await import('../client.ts'));
  ({ useConnection } = await import('./connection.ts'));
});

afterEach(() => {
  vi.unstubAllGlobals();
  location.hash = '';
  vi.resetModules();
});

/** Replies on demand of the test. */
function requests() {
  const asked: { path: string; answer: (status: number) => void }[] = [];
  vi.stubGlobal('fetch', (input: Request | string) => {
    const path = new URL(typeof input === 'string' ? input : input.url, location.origin).pathname;
    return new Promise<Response>((resolve) => {
      asked.push({ path, answer: (status) => resolve(Response.json({ json: null }, { status })) });
    });
  });
  return asked;
}

const paths = (asked: { path: string }[]): string[] => asked.map(({ path }) => path);

it('the page sends no request before the token of the link was exchanged for a session', async () => {
  const asked = requests();
  location.hash = '#token=abcdefgh12345678';
  const calling = client.app.info().catch(() => undefined);
  await expect.poll(() => paths(asked)).toEqual(['/session']);
  asked[0]?.answer(200);
  await expect.poll(() => paths(asked)).toEqual(['/session', '/api/app/info']);
  asked[1]?.answer(200);
  await calling;
  expect(useConnection.getState().phase).toBe('connecting');
});

it('the page keeps a new session if a request of the earlier one is refused late', async () => {
  const asked = requests();
  const before = client.app.info().catch(() => undefined);
  await expect.poll(() => paths(asked)).toEqual(['/api/app/info']);
  location.hash = '#token=abcdefgh87654321';
  const after = client.app.info().catch(() => undefined);
  await expect.poll(() => paths(asked)).toEqual(['/api/app/info', '/session']);
  asked[1]?.answer(200);
  asked[0]?.answer(401);
  await before;
  expect(useConnection.getState().phase).toBe('connecting');
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.answer(401);
  await after;
  expect(useConnection.getState().phase).toBe('unauthorized');
});
