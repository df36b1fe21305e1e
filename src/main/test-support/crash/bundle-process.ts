import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Looks for its native part beside itself, so it stays where it is. */
const NATIVE = 'better-sqlite3';

/**
 * Puts a program of this folder and all it imports into one file, as the application's own build does. A process of it is there after a
 * third of the processor time that reading some 300 modules takes.
 * @param outDir folder that is made and gets the file
 * @returns path of the file
 */
export async function bundleProcess(file: 'writer-process.ts', outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'native-stays',
        enforce: 'pre',
        resolveId: (id) => (id === NATIVE ? { id: import.meta.resolve(NATIVE), external: true } : undefined),
      },
    ],
    build: {
      outDir,
      emptyOutDir: true,
      minify: false,
      ssr: fileURLToPath(new URL(file, import.meta.url)),
      rolldownOptions: { output: { format: 'es', entryFileNames: 'program.mjs', codeSplitting: false } },
    },
    ssr: { noExternal: true },
  });
  return join(outDir, 'program.mjs');
}
