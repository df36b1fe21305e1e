/** The library as somebody's bundler makes it for a browser. */
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ENTRY = '\0entry.ts';

export interface Bundle {
  /** One ES module, minified. */
  readonly code: string;
  /** Files of which something is in the bundle, relative to the project. */
  readonly modules: readonly string[];
  /** What the bundle would still import when it runs. */
  readonly imports: readonly string[];
  /** What the bundler had to say about the modules. */
  readonly warnings: readonly string[];
}

/** Bundles TypeScript `source`, which stands in the project's root folder, for a browser. */
export async function bundleForBrowser(source: string): Promise<Bundle> {
  const warnings: string[] = [];
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id: string, importer?: string) => {
          if (id === ENTRY) return ENTRY;
          return importer === ENTRY && id.startsWith('./')
            ? fileURLToPath(new URL(`../../../${id}`, import.meta.url))
            : undefined;
        },
        load: (id: string) => (id === ENTRY ? source : undefined),
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rollupOptions: {
        input: ENTRY,
        preserveEntrySignatures: 'strict',
        onwarn: (warning: { message: string }) => {
          warnings.push(warning.message);
        },
        output: { format: 'es', codeSplitting: false },
      },
    },
  });
  const { output } = (Array.isArray(built) ? built[0] : built) as Rolldown.RolldownOutput;
  const chunks = output.filter((part) => part.type === 'chunk');
  const modules = chunks
    .flatMap((chunk) => Object.entries(chunk.modules))
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([id]) => id.replace(root, ''));
  return {
    code: chunks[0]?.code ?? '',
    modules,
    imports: chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]),
    warnings,
  };
}
