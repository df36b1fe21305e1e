/** Bundles the library for a browser, as an application would. */
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ENTRY = '\0entry.ts';

export interface Bundle {
  /** One ES module, minified. */
  readonly code: string;
  /** Files included in the bundle, relative to the project. */
  readonly modules: readonly string[];
  /** Imports that remain at run time. */
  readonly imports: readonly string[];
  /** The bundler's warnings about the modules. */
  readonly warnings: readonly string[];
}

/** Bundles TypeScript `source`, resolved from the project's root folder, for a browser. */
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
