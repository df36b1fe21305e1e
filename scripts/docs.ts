/** `npm run docs`: the documents as a site in `out/docs`, which the console serves at /docs/. A dead link fails it. */
import { buildDocs, docsOutput } from './docs/build-docs.ts';
import { sizeOf } from './docs/docs-source.ts';

const started = performance.now();
buildDocs();
const { bytes, files } = sizeOf(docsOutput);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`out/docs: ${files} files, ${(bytes / 1_000_000).toFixed(1)} MB, built in ${seconds} s`);
