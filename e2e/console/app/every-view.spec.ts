import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectAccessibleInBoth } from '../../support/check-view.ts';
import { expect, testWithOwnHost } from '../../support/fixtures.ts';
import { loadView } from '../../support/open.ts';
import { type Content, fillHost } from '../../support/scenes/content.ts';
import { dialogs } from '../../support/scenes/dialogs.ts';
import { viewsOf } from '../../support/scenes/views.ts';
import { goTo } from '../../support/studio.ts';

/** The views, and the dialogs, are divided among this many tests each, so that they run beside each other. */
const PARTS = 2;

const test = testWithOwnHost().extend<object, { content: Content }>({
  content: [
    async ({ host }, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'planchet-scenes-'));
      await use(await fillHost(host, folder));
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
});

test.describe.configure({ mode: 'parallel', timeout: 300_000 });

for (let part = 0; part < PARTS; part++) {
  test(`every view with something in it is accessible in light and dark, part ${part + 1} of ${PARTS}`, async ({
    app,
    content,
  }) => {
    const views = Object.values(viewsOf(content)).flatMap((addresses) => Object.entries(addresses));
    for (const [name, path] of views.filter((_, at) => at % PARTS === part)) {
      await goTo(app, path);
      await expect(app.getByRole('main').getByRole('status', { name: 'Loading…' })).toHaveCount(0);
      await test.step(name, () => expectAccessibleInBoth(app));
    }
  });
}

for (let part = 0; part < PARTS; part++) {
  test(`every dialog and menu is accessible in light and dark, part ${part + 1} of ${PARTS}`, async ({
    app,
    host,
    content,
  }) => {
    for (const { name, path, open, close } of dialogs(content, host).filter((_, at) => at % PARTS === part)) {
      await test.step(`open ${name}`, async () => {
        await loadView(app, host.ready.console, path);
        await open(app);
      });
      await test.step(name, () => expectAccessibleInBoth(app));
      await close?.();
    }
  });
}
