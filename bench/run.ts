/**
 * `npm run bench` runs every benchmark, `npm run bench -- startup gateway` the named ones. Each prints its figures and their targets. Figures of
 * one run can be compared with each other; figures of two machines cannot. `--record` writes the figures that have a target to docs/proofs.md.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from '../e2e/support/host.ts';
import { buildProgramIfStale } from '../scripts/build.ts';
import { root } from '../scripts/paths.ts';
import type { Benchmark } from './report.ts';
import { createReport } from './report.ts';
import { type Figure, recordFigures } from './support/record.ts';

const own = ['run.ts', 'report.ts'];
const topics = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts') && !own.includes(file))
  .map((file) => file.slice(0, -3))
  .sort();
const record = process.argv.includes('--record');
const wanted = process.argv.slice(2).filter((argument) => argument !== '--record');
const unknown = wanted.filter((topic) => !topics.includes(topic));
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown.join('", "')}". There are: ${topics.join(', ')}.`);
  process.exit(2);
}

// What a host needs is measured of what people run: from sources, each of its threads also has the compiler that takes the types away.
buildProgramIfStale();
process.env[PROGRAM] = join(root, 'out', 'main', 'cli.js');
const proofs = new URL('../docs/proofs.md', import.meta.url);
for (const topic of wanted.length > 0 ? wanted : topics) {
  console.log(`\n${topic}`);
  const { run } = (await import(`./${topic}.ts`)) as { run?: Benchmark };
  if (run === undefined) throw new Error(`bench/${topic}.ts exports no function "run".`);
  const figures: Figure[] = [];
  await run(createReport(figures));
  const today = new Date().toISOString().slice(0, 10);
  if (record) writeFileSync(proofs, recordFigures(readFileSync(proofs, 'utf8'), topic, figures, today));
}
// A pool or a socket that a benchmark left open must not keep the process alive.
process.exit(0);
