import { join } from 'node:path';
import { build } from 'vite';
import { root } from './paths.ts';

/**
 * Builds `planchet/token` as one ES module without TypeScript, for Node from version 20 on and for browsers. The packages it needs stay
 * imports, so that a caller's keys and the library's are of one SDK.
 * @param outDir folder that is made and gets `index.js`
 */
export async function buildTokenLibrary(outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      minify: false,
      lib: { entry: join(root, 'src', 'token', 'index.ts'), formats: ['es'], fileName: () => 'index.js' },
      rollupOptions: { external: (id) => /^(?:node:|@?[a-z])/.test(id) && !id.startsWith(root) },
    },
  });
}

if (import.meta.main) await buildTokenLibrary(join(root, 'out', 'token'));
