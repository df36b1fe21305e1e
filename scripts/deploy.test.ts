import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { startHost } from '../e2e/support/host.ts';
import { settingsSchema, settingVariable } from '../src/contract/settings/settings.ts';
import { documents } from './docs/docs-source.ts';
import { hasHaproxy, runFleet } from './fleet.ts';
import { root } from './paths.ts';

const deploy = join(root, 'deploy');
const read = (name: string): string => readFileSync(join(deploy, name), 'utf8');
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const run = (program: string, args: string[], env: Record<string, string> = {}): string => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: deploy,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  expect(status, `${program} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout + stderr;
};

/** Highest exposure that `systemd-analyze security` may find, of 10. */
const MOST_EXPOSED = 1.5;

const METRICS_KEY = 'key-of-the-prometheus';

const ports = {
  PLANCHET_WRITER_BIND: '127.0.0.1:1',
  PLANCHET_RPC_BIND: '127.0.0.1:2',
  PLANCHET_A_WRITER: '127.0.0.1:3',
  PLANCHET_B_WRITER: '127.0.0.1:4',
  PLANCHET_A_RPC: '127.0.0.1:5',
  PLANCHET_B_RPC: '127.0.0.1:6',
};

/** Names of metrics in an expression, without the suffixes that Prometheus gives to the parts of a histogram. */
function figuresIn(text: string): string[] {
  const names = text.match(/\b(?:planchet|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))];
}

it('alerts and dashboard use only metrics that a running host serves at the address in prometheus.yml', async () => {
  // as prometheus.yml asks
  const [{ metrics_path: path, authorization }] = parse(read('prometheus.yml')).scrape_configs;
  expect(authorization.type).toBe('Bearer');
  const host = await startHost({ set: { metricsBind: '127.0.0.1:0', metricsKey: METRICS_KEY } });
  try {
    const cookie = readFileSync(host.ready.rpcCookieFile, 'utf8').trim();
    const called = await fetch(host.ready.rpc, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(cookie)}` },
      body: JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'getblockcount', params: [] }),
    });
    expect(called.status).toBe(200);
    const services = await host.client().services.list();
    const status = services.find(({ name }) => name === 'metrics')?.status;
    const address = status?.state === 'running' ? status.address : undefined;
    const served = async (): Promise<Set<string | undefined>> => {
      const reply = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${METRICS_KEY}` } });
      expect(reply.status).toBe(200);
      return new Set([...(await reply.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    };
    expect((await served()).size).toBeGreaterThan(30);
    for (const file of ['alerts.yml', 'alerts.test.yml', 'grafana-dashboard.json']) {
      const named = figuresIn(read(file));
      expect(named.length).toBeGreaterThan(1);
      // A metric is left out while there is nothing to count, such as before the first block is read.
      const missing = async (): Promise<string[]> => {
        const names = await served();
        return named.filter((name) => !names.has(name));
      };
      await expect.poll(missing, { timeout: 60_000 }).toEqual([]);
    }
  } finally {
    await host.stop();
  }
});

it('each panel of the dashboard has a title, a unit and an expression', () => {
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as {
    panels: { type: string; id: number; title: string; targets?: { expr: string }[] }[];
  };
  const drawn = panels.filter(({ type }) => type !== 'row');
  expect(drawn.length).toBeGreaterThan(15);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, targets = [] } of drawn) expect([title, ...targets.map(({ expr }) => expr)]).not.toContain('');
});

it.skipIf(!has('promtool'))(
  'the configuration of Prometheus and its rules are valid, and alerts fire under their conditions',
  () => {
    expect(run('promtool', ['check', 'rules', 'alerts.yml'])).toContain('SUCCESS');
    expect(run('promtool', ['test', 'rules', 'alerts.test.yml'])).toContain('SUCCESS');
    // The token's file exists only where Planchet runs.
    expect(run('promtool', ['check', 'config', '--syntax-only', 'prometheus.yml'])).toContain('SUCCESS');
  },
);

it.skipIf(!hasHaproxy())('HAProxy accepts its configuration', () => {
  run('haproxy', ['-c', '-f', 'haproxy.cfg'], ports);
});

it('HAProxy gets every address from compose.yaml, and retries no document without its idempotency key', () => {
  const config = read('haproxy.cfg');
  const wanted = new Set([...config.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name as string));
  expect(wanted).toEqual(new Set(Object.keys(ports)));
  const { services } = parse(read('compose.yaml'), { merge: true });
  expect(new Set(Object.keys(services.proxy.environment))).toEqual(wanted);
  expect(config).toContain('http-request disable-l7-retry if !{ req.hdr(Idempotency-Key) -m found }');
});

it.skipIf(!has('systemd-analyze'))('the systemd unit is valid and sandboxed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-unit-'));
  try {
    // The program of the unit need not be installed here.
    const unit = join(folder, 'planchet.service');
    writeFileSync(unit, read('planchet.service').replaceAll('/usr/bin/node', process.execPath));
    expect(run('systemd-analyze', ['verify', unit])).not.toMatch(/planchet\.service/);
    const exposure = /Overall exposure level[^:]*: ([\d.]+)/.exec(
      run('systemd-analyze', ['security', '--offline=yes', unit]),
    );
    expect(Number(exposure?.[1])).toBeLessThanOrEqual(MOST_EXPOSED);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the last stage of the container builds nothing, does not run as root and has a health check', () => {
  const stages = read('Containerfile')
    .split(/^FROM /m)
    .slice(1);
  const last = stages.at(-1) as string;
  expect(stages).toHaveLength(2);
  expect(last).toMatch(/^USER 10001:10001$/m);
  expect(last).toMatch(/^HEALTHCHECK /m);
  expect(last).toMatch(/^COPY --from=build --chown=root:root/m);
  expect(last).not.toMatch(/npm (?:ci|install|run)|apt-get|COPY \. /);
  expect(last.indexOf('USER ')).toBeGreaterThan(last.lastIndexOf('RUN '));
});

it('the build context of the container has every file that is copied, and no deployment files', () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
  expect(ignored[0]).toBe('*');
  const folder = mkdtempSync(join(tmpdir(), 'planchet-context-'));
  try {
    // Fails if a listed file does not exist.
    for (const line of ignored.slice(1))
      cpSync(join(root, line.slice(1)), join(folder, line.slice(1)), { recursive: true });
    // The build of the site needs them, and fails if one is missing.
    expect([...documents().keys()].filter((path) => !existsSync(join(folder, path)))).toEqual([]);
    expect(existsSync(join(folder, 'deploy', 'compose.yaml'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('compose.yaml gives each host a read-only root, no capabilities and no published port', () => {
  const { services, networks } = parse(read('compose.yaml'), { merge: true });
  for (const name of ['a', 'b']) {
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: [`${name}:/data`],
    });
    expect(services[name].ports).toBeUndefined();
  }
  expect(services.database.networks).toEqual(['fleet']);
  expect(networks.fleet).toEqual({ internal: true });
  for (const port of services.proxy.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

it('the deployment files name only settings that exist', () => {
  const known = new Set(Object.keys(settingsSchema.shape).map(settingVariable));
  const text = ['compose.yaml', 'environment.example', 'planchet.service', 'Containerfile'].map(read).join('\n');
  const named = new Set([...text.matchAll(/\bPLANCHET_[A-Z_]*[A-Z]\b/g)].map(([name]) => name));
  const others = new Set([...Object.keys(ports), 'PLANCHET_DATA_DIR']);
  expect([...named].filter((name) => !known.has(name) && !others.has(name))).toEqual([]);
});

// Takes a minute and needs HAProxy: `npm run test:long`.
it.skipIf(!hasHaproxy() || !process.env.PLANCHET_LONG)(
  'a fleet behind HAProxy loses nothing and writes nothing twice when one host is killed',
  async () => {
    const { lost, twice, accepted, failedCalls } = await runFleet(300);
    expect({ lost, twice, accepted, failedCalls }).toEqual({ lost: [], twice: [], accepted: 300, failedCalls: 0 });
  },
  400_000,
);
