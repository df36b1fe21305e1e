import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { StillClock } from '../test-support/still-clock.ts';
import { Sessions } from './sessions.ts';
import { good, HttpConsole, json } from './test-support/http-console.ts';

const open = HttpConsole.forTests();
const DAY = 86_400_000;

interface Listed {
  sessions: { id: string; browser: string; since: number; lastSeen: number; expiresAt: number }[];
  current: string | null;
}

async function call(
  path: string,
  headers: Record<string, string>,
  input?: object,
): Promise<{ status: number; json: unknown }> {
  const body = JSON.stringify(input === undefined ? {} : { json: input });
  const { status, text } = await open.ask({ path: `/api/${path}`, headers: { ...json, ...headers }, body });
  return { status, json: status === 200 ? (JSON.parse(text) as { json: unknown }).json : undefined };
}

async function list(headers: Record<string, string> = good): Promise<Listed> {
  return (await call('sessions/list', headers)).json as Listed;
}

async function signIn(headers: Record<string, string> = {}): Promise<string> {
  const body = JSON.stringify({ token: open.server.createLoginToken() });
  const answer = await open.ask({ path: '/session', headers: { ...json, ...headers }, body });
  return (answer.headers['set-cookie']?.[0] ?? '').split(';')[0] as string;
}

describe('sessions of browsers', () => {
  it('are listed with the browser, since when and when they were last seen, without their secret', async () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
    const cookie = await signIn({ 'user-agent': agent });
    await signIn({ 'user-agent': '<script>' });
    const headless =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/149.0 Safari/537.36';
    await signIn({ 'user-agent': headless });
    open.now += 60_000;
    const { sessions, current } = await list({ cookie });
    expect(sessions.map(({ browser, since, lastSeen }) => [browser, since, lastSeen])).toEqual([
      ['Firefox (Linux)', 1_000_000, 1_060_000],
      ['Chrome (Linux)', 1_000_000, 1_000_000],
      ['', 1_000_000, 1_000_000],
    ]);
    expect(current).toBe(sessions[0]?.id);
    expect(JSON.stringify(sessions)).not.toContain(cookie.split('=')[1]);
    expect((await list()).current).toBeNull();
  });

  it('end where the clock was put back to before them, not where it was set right by a little', async () => {
    const cookie = await signIn();
    open.now -= 1_000;
    expect((await call('app/info', { cookie })).status).toBe(200);
    open.now -= DAY;
    expect((await call('app/info', { cookie })).status).toBe(401);
    open.now += DAY;
    expect((await call('app/info', { cookie })).status).toBe(401);
  });

  it('are ended one by one, and a stolen cookie is worth nothing after that', async () => {
    const [mine, theirs] = [await signIn(), await signIn()];
    const { current } = await list({ cookie: theirs });
    expect((await call('sessions/end', { cookie: mine }, { id: current as string })).status).toBe(200);
    for (const path of ['app/info', 'sessions/list', 'sessions/endOthers'])
      expect((await call(path, { cookie: theirs })).status).toBe(401);
    expect((await open.ask({ method: 'GET', path: '/session', headers: { cookie: theirs } })).status).toBe(401);
    expect((await call('app/info', { cookie: mine })).status).toBe(200);
  });

  it('are all ended but the one that asks, and so are links that were not used yet', async () => {
    const [mine, ...others] = [await signIn(), await signIn(), await signIn()];
    const unused = open.server.createLoginToken();
    expect(await call('sessions/endOthers', { cookie: mine as string })).toMatchObject({ json: { ended: 2 } });
    for (const cookie of others) expect((await call('app/info', { cookie })).status).toBe(401);
    expect((await call('app/info', { cookie: mine as string })).status).toBe(200);
    const late = await open.ask({ path: '/session', headers: json, body: JSON.stringify({ token: unused }) });
    expect(late.status).toBe(401);
  });

  it('are locked by their page', async () => {
    const cookie = await signIn();
    expect((await call('sessions/lock', { cookie })).status).toBe(200);
    expect((await call('app/info', { cookie })).status).toBe(401);
    expect((await list()).sessions).toEqual([]);
  });

  it('lose the events they are being sent when they end', async () => {
    const cookie = await signIn();
    const cut = Promise.withResolvers<void>();
    const streaming = Promise.withResolvers<void>();
    const headers = { ...json, cookie, host: `127.0.0.1:${open.port}` };
    const path = '/api/events/subscribe';
    const stream = request({ host: '127.0.0.1', port: open.port, method: 'POST', path, headers }, (response) => {
      response.once('data', () => streaming.resolve());
      response.once('error', () => undefined);
      response.once('close', () => cut.resolve());
    });
    stream.end('{}');
    await streaming.promise;
    const [session] = (await list()).sessions;
    await call('sessions/end', good, { id: session?.id });
    await cut.promise;
  });

  it('allow nothing more once they ended, also in a request whose body was still arriving', async () => {
    const cookie = await signIn();
    const body = JSON.stringify({ json: { paths: ['/etc/hostname'] } });
    const headers = { ...json, cookie, host: `127.0.0.1:${open.port}`, expect: '100-continue' };
    const path = '/api/import/open';
    const answered = Promise.withResolvers<IncomingMessage>();
    const late = request({ host: '127.0.0.1', port: open.port, method: 'POST', path, headers }, answered.resolve);
    late.flushHeaders();
    await once(late, 'continue');
    const [session] = (await list()).sessions;
    await call('sessions/end', good, { id: session?.id });
    late.end(body);
    const answer = await answered.promise;
    answer.resume();
    expect(answer.statusCode).toBe(401);
  });

  it('have a secret of their own, whatever cookie the browser brought, and end the one before', async () => {
    const planted = `planchet_session_${open.port}=${'A'.repeat(43)}`;
    const cookie = await signIn({ cookie: planted });
    expect(cookie).not.toBe(planted);
    expect((await call('app/info', { cookie: planted })).status).toBe(401);
    const again = await signIn({ cookie });
    expect((await call('app/info', { cookie })).status).toBe(401);
    expect((await call('app/info', { cookie: again })).status).toBe(200);
    expect((await list()).sessions).toHaveLength(1);
  });

  it('end after a week without use, and after thirty days however much they are used', async () => {
    const [used, idle] = [await signIn(), await signIn()];
    for (let day = 0; day < 29; day += 6) {
      expect((await call('app/info', { cookie: used })).status).toBe(200);
      open.now += 6 * DAY;
    }
    expect((await call('app/info', { cookie: idle })).status).toBe(401);
    expect((await call('app/info', { cookie: used })).status).toBe(401);
    expect((await list()).sessions).toEqual([]);
  });

  it('cut off what they are being sent after a week without use, and where newer ones take their place', () => {
    const clock = new StillClock(0);
    const sessions = new Sessions(clock);
    const ended: string[] = [];
    sessions.onEnd = (id) => void ended.push(id);
    const open = () => sessions.redeem(sessions.createToken(false)) as string;
    const [used, idle] = [open(), open()].map((secret) => ({ secret, id: sessions.find(secret) }));
    clock.advance(6 * DAY);
    expect(sessions.find(used?.secret ?? '')).toBe(used?.id);
    clock.advance(DAY);
    expect(ended).toEqual([idle?.id]);
    for (let n = 0; n < 64; n++) open();
    expect(ended).toEqual([idle?.id, used?.id]);
  });
});
