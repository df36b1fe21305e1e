import { join } from 'node:path';
import { checkView, expectAccessibleInBoth } from '../../support/check-view.ts';
import { expect, testWithOwnHost } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { type Content, fillHost } from '../../support/scenes/content.ts';
import { dialogs } from '../../support/scenes/dialogs.ts';
import { viewsOf } from '../../support/scenes/views.ts';
import { goTo } from '../../support/studio.ts';

const contents = new WeakMap<RunningHost, Promise<Content>>();

const test = testWithOwnHost.extend<{ content: Content }>({
  content: async ({ host }, use) => {
    const content = contents.get(host) ?? fillHost(host, join(host.ready.dataDir, 'scenes'));
    contents.set(host, content);
    await use(await content);
  },
});

test.describe.configure({ timeout: 300_000 });

test('every view with something in it fits and is accessible in light and dark', async ({ app, content }) => {
  const views = Object.values(viewsOf(content)).flatMap((addresses) => Object.entries(addresses));
  for (const [name, path] of views) {
    await goTo(app, path);
    await test.step(name, () => checkView(app, name));
  }
});

test('every dialog and menu is accessible in light and dark', async ({ app, host, content }) => {
  for (const { name, path, open, close } of dialogs(content, host)) {
    await test.step(`open ${name}`, async () => {
      await goTo(app, path);
      await open(app);
    });
    await test.step(name, () => expectAccessibleInBoth(app));
    await close?.();
    await app.keyboard.press('Escape');
    // Another view in between, so that the next scene never begins with what this one left.
    await goTo(app, '/errors/settings-invalid');
    await expect(app.locator('[role="dialog"], [role="menu"]'), name).toHaveCount(0);
  }
});
