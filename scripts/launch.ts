import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.ts';

/** How `npm start` and the benchmarks run the program. */
export const launch = {
  // as `npm run planchet` has them: a small nursery, and what was compiled kept
  nodeFlags: ['--max-semi-space-size=8', '--import', pathToFileURL(join(root, 'scripts/compile-cache.js')).href],
  // glibc gives each thread a region of memory of its own, which keeps what was freed in it: 20 to 50 MB. Once a large block was freed, it
  // also keeps those that follow; with a fixed threshold it gives them back: 50 to 100 MB in a mint of large files
  env: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '262144' },
};
