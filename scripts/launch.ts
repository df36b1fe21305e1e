import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.ts';

/** Flags and environment with which `npm start` and the benchmarks run the program. */
export const launch = {
  // As in `npm run planchet`: a small nursery, threads of the collector by the processors, and a compile cache.
  nodeFlags: [
    '--max-semi-space-size=8',
    '--v8-pool-size=0',
    '--import',
    pathToFileURL(join(root, 'scripts/compile-cache.js')).href,
  ],
  // glibc gives each thread its own memory arena, which keeps freed memory: 20 to 50 MB. Once a large block was freed, it
  // also keeps later ones; with a fixed threshold it returns them: 50 to 100 MB in a mint of large files
  env: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '262144' },
};
