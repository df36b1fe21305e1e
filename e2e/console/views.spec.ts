import { fileURLToPath } from 'node:url';
import { expect, expectAccessible, test } from '../support/fixtures.ts';
import { approveAndWait, buildMint, createProject } from '../support/studio.ts';

const shots = fileURLToPath(new URL('../screenshots/', import.meta.url));

const sizes = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
  { width: 1024, height: 640 },
];

test('every view is accessible, fits the smallest window and is photographed', async ({ app, host }) => {
  test.setTimeout(180_000);
  const here = (): string => app.url().split('#')[1] as string;
  await look('dashboard-empty', '/');
  await look('projects-empty', '/projects');
  await createProject(app, 'Gallery', ['copper-moon.png', 'tide.svg', 'haiku.txt']);
  for (const name of ['Copper moon', 'Tide', 'Haiku']) await expect(app.getByText(name).first()).toBeVisible();
  const project = here();
  await buildMint(app);
  await look('review', here());
  await approveAndWait(app);
  const minted = here();
  const tx = await app.getByRole('link', { name: 'Open the transaction' }).getAttribute('href');

  await look('dashboard', '/');
  await look('projects', '/projects');
  await look('project', project);
  await look('minted', minted);
  await look('jobs', '/jobs');
  await look('transaction', tx?.replace('#', '') as string);
  await look('not-found', '/no-such-page');

  async function look(name: string, path: string): Promise<void> {
    await app.goto(`${host.ready.console}/#${path}`);
    await expect(app.getByRole('heading', { level: 1 })).toBeVisible();
    for (const scheme of ['light', 'dark'] as const) {
      await app.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      for (const size of sizes) {
        await app.setViewportSize(size);
        await app.waitForTimeout(150);
        await app.screenshot({ path: `${shots}${name}-${size.width}-${scheme}.png` });
        const overflow = await app.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, `${name} scrolls sideways at ${size.width}`).toBeLessThanOrEqual(0);
      }
      await app.setViewportSize({ width: 1280, height: 800 });
      await expectAccessible(app);
    }
  }
});
