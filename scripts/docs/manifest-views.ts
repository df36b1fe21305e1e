import { Window } from 'happy-dom';
import { type Plugin, runnerImport } from 'vite';
import { root } from '../paths.ts';

interface Manifests {
  readonly features: readonly { readonly views: readonly { readonly path: string }[] }[];
}

/** The manifests need no styles. */
const withoutStyles: Plugin = {
  name: 'without-styles',
  enforce: 'pre',
  resolveId: (source) => (source.endsWith('.css') ? '\0no-styles' : null),
  load: (id) => (id === '\0no-styles' ? 'export default {}' : null),
};

/** The address of every view, from the manifests of the page's features: `/projects/:uid`, `/wallet/:part?`. */
export async function manifestViews(): Promise<string[]> {
  // Some modules of the page read these while they load.
  const window = new Window({ url: 'http://localhost' });
  const { document, location, localStorage } = window;
  const names = { window, document, location, localStorage };
  Object.assign(globalThis, names);
  try {
    const { module } = await runnerImport<Manifests>(`${root}src/renderer/app/features.ts`, {
      root: `${root}src/renderer`,
      configFile: false,
      logLevel: 'error',
      plugins: [withoutStyles],
    });
    return [...new Set(module.features.flatMap(({ views }) => views.map(({ path }) => path)))];
  } finally {
    for (const name of Object.keys(names)) Reflect.deleteProperty(globalThis, name);
    await window.happyDOM.close();
  }
}
