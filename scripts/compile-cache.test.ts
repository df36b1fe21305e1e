import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const module = new URL('./compile-cache.js', import.meta.url).href;
const folder = fileURLToPath(new URL('../node_modules/.cache/planchet', import.meta.url));
const program = `
  const { Worker } = require('node:worker_threads');
  const used = 'require("node:module").getCompileCacheDir() ?? "none"';
  const worker = new Worker('require("node:worker_threads").parentPort.postMessage(' + used + ')', { eval: true, execArgv: [] });
  worker.on('message', (thread) => console.log(JSON.stringify([eval(used), thread])));
`;

it('the compile cache stores compiled code next to the program, for the process and its threads', () => {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const printed = execFileSync(process.execPath, ['--import', module, '-e', program], { env, encoding: 'utf8' });
  const used = JSON.parse(printed) as string[];
  expect(used).toHaveLength(2);
  for (const directory of used) expect(directory.startsWith(folder)).toBe(true);
});
