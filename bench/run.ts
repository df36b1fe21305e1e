/**
 * `npm run bench` runs every benchmark, `npm run bench -- startup gateway` the named ones. Each prints its figures beside the target it is
 * held against. Figures of one run are comparable with each other; those of two machines are not.
 */
import { readdirSync } from 'node:fs';
import type { Benchmark } from './report.ts';
import { createReport } from './report.ts';

const own = ['run.ts', 'report.ts'];
const known = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts') && !own.includes(file))
  .map((file) => file.slice(0, -3))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((topic) => !known.includes(topic));
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown.join('", "')}". There are: ${known.join(', ')}.`);
  process.exit(2);
}

for (const topic of wanted.length > 0 ? wanted : known) {
  console.log(`\n${topic}`);
  const { run } = (await import(`./${topic}.ts`)) as { run: Benchmark };
  await run(createReport());
}
// A pool or a socket a benchmark left open must not keep the run alive.
process.exit(0);
