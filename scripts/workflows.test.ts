import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from './paths.ts';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

interface Job {
  'runs-on': string;
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  needs?: string;
  if?: string;
  strategy?: { matrix: { os: string[] } };
  steps: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions?: Record<string, string>;
  concurrency?: unknown;
  jobs: Record<string, Job>;
}

/** The commit of each release, from the tags of the action's own repository. Add a new release here. */
const releases: Readonly<Record<string, string>> = {
  'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1': 'v7.0.1',
  'actions/setup-node@820762786026740c76f36085b0efc47a31fe5020': 'v7.0.0',
  'actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f': 'v7.0.0',
  'actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c': 'v8.0.1',
  'actions/attest-build-provenance@a2bbfa25375fe432b6a289bc6b6cd05ecd0c4c32': 'v4.1.0',
};

const files = globSync('.github/workflows/*.yml', { cwd: root });
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

describe.each(files)('%s', (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const workflow = parse(text, { strict: true, uniqueKeys: true }) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it('pins every action to the commit of a known release, which a comment names', () => {
    const lines = [...text.matchAll(/uses: *(\S+) *(.*)/g)];
    expect(lines.length).toBeGreaterThan(0);
    for (const [, action = '', comment] of lines) {
      expect(action).toMatch(/@[0-9a-f]{40}$/);
      expect(comment).toBe(`# ${releases[action]}`);
    }
  });

  it('can only read the repository, unless a job declares more', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { permissions = {} } of jobs) {
      const writes = Object.entries(permissions).filter(([, right]) => right !== 'read');
      expect(writes.filter(([name]) => !['id-token', 'attestations'].includes(name))).toEqual([]);
    }
  });

  it('gives an identity token only to jobs that a tag starts and that run no code of the repository', () => {
    for (const job of jobs.filter(({ permissions = {} }) => 'id-token' in permissions)) {
      expect(job.if).toBe("github.ref_type == 'tag'");
      expect(
        job.steps.filter(({ run, uses = '' }) => run !== undefined || uses.startsWith('actions/checkout@')),
      ).toEqual([]);
    }
  });

  it('leaves no credentials in the checkout', () => {
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
      expect(step.with?.['persist-credentials']).toBe(false);
    }
  });

  it('gives no secret to a pull request', () => {
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    if ('pull_request' in workflow.on) expect(text).not.toContain('secrets.');
    for (const [, expression] of text.matchAll(/\$\{\{([^}]*secrets\.[^}]*)\}\}/g)) {
      expect(expression).toContain("github.ref_type == 'tag' &&");
    }
  });

  it('ends a job that hangs, and a run that a newer one replaces', () => {
    for (const job of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0);
    expect(workflow.concurrency).toBeDefined();
  });

  it('inserts no expression into a command', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  it('runs only existing scripts', () => {
    const named = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name as string),
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

it('the workflows test and package on three systems', () => {
  const systems = (name: string, job: string): string[] => {
    const { jobs } = parse(readFileSync(join(root, '.github', 'workflows', name), 'utf8')) as Workflow;
    return (jobs[job]?.strategy?.matrix.os ?? []).map((os) => os.split('-')[0] as string);
  };
  expect(new Set(systems('ci.yml', 'test'))).toEqual(new Set(['ubuntu', 'windows', 'macos']));
  expect(new Set(systems('package.yml', 'package'))).toEqual(new Set(['ubuntu', 'windows', 'macos']));
});

it('the release workflow passes the notarisation key as a file, since the tool reads nothing else', () => {
  const { jobs } = parse(readFileSync(join(root, '.github', 'workflows', 'package.yml'), 'utf8')) as Workflow;
  const steps = (jobs.package as Job).steps;
  const packs = steps.findIndex(({ run }) => run === 'npm run package');
  expect(steps[packs]?.env).not.toHaveProperty('APPLE_API_KEY');
  const writes = steps.findIndex(({ run = '' }) => /APPLE_API_KEY=\$RUNNER_TEMP\S+" >> "\$GITHUB_ENV"/.test(run));
  expect(writes).toBeGreaterThanOrEqual(0);
  expect(writes).toBeLessThan(packs);
});

it('the release workflow tests the window on each system before packaging, signs the checksums, and delivers the package lists', () => {
  const { jobs } = parse(readFileSync(join(root, '.github', 'workflows', 'package.yml'), 'utf8')) as Workflow;
  const job = jobs.package as Job;
  // One for each processor type of a Mac.
  expect(job.strategy?.matrix.os).toEqual(expect.arrayContaining(['macos-15', 'macos-15-intel']));
  const commands = job.steps.map(({ uses = '', run = '' }) => uses + run);
  const at = (part: string): number => commands.findIndex((command) => command.includes(part));
  expect(commands.filter((command) => command.includes('playwright test e2e/desktop'))).toHaveLength(2);
  expect(at('e2e/desktop')).toBeLessThan(at('npm run package'));
  const attest = jobs.attest as Job;
  expect(attest.needs).toBe('package');
  expect(attest.strategy?.matrix.os).toEqual(job.strategy?.matrix.os);
  expect(attest.steps.map(({ with: given }) => given)).toEqual([
    { name: job.steps[at('upload-artifact')]?.with?.name, path: 'dist/packages' },
    { 'subject-checksums': 'dist/packages/SHA256SUMS' },
  ]);
  const delivered = String(job.steps[at('upload-artifact')]?.with?.path);
  for (const file of ['*.cdx.json', 'SHA256SUMS', '*.deb', '*.AppImage', '*.exe', '*.dmg'])
    expect(delivered).toContain(file);
});
