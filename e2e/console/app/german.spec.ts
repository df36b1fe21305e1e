import { expect, test } from '../../support/fixtures.ts';

test.use({ locale: 'de-DE' });

const views: readonly [path: string, heading: string][] = [
  ['/', 'Übersicht'],
  ['/projects', 'Projekte'],
  ['/import', 'Sammlung importieren'],
  ['/jobs', 'Prägungen'],
  ['/tokens', 'Token'],
  ['/token-bench', 'Einlösbare Token'],
  ['/token-bench/new', 'Token entwerfen'],
  ['/wallet', 'Wallet'],
  ['/wallet/coins', 'Wallet'],
  ['/wallet/receive', 'Wallet'],
  ['/wallet/keys', 'Wallet'],
  ['/wallet/send', 'Senden'],
  ['/transactions', 'Transaktionen'],
  ['/transactions/submit', 'Transaktionen einreichen'],
  ['/miners', 'Miner'],
  ['/gateway', 'Gateway'],
  ['/gateway/traffic', 'Gateway'],
  ['/gateway/console', 'Gateway'],
  ['/gateway/keys', 'Gateway'],
  ['/gateway/zmq', 'Gateway'],
  ['/writer', 'Datenschreiber'],
  ['/writer/documents', 'Datenschreiber'],
  ['/writer/keys', 'Datenschreiber'],
  ['/writer/try', 'Datenschreiber'],
  ['/explorer', 'Explorer'],
  ['/sandbox', 'Sandbox'],
  ['/settings', 'Einstellungen'],
];

test('every view is in German, and fits the smallest window', async ({ app }) => {
  await expect(app.locator('html')).toHaveAttribute('lang', 'de');
  await app.setViewportSize({ width: 1024, height: 640 });
  for (const [path, heading] of views) {
    await app.evaluate((to) => {
      location.hash = to;
    }, path);
    await expect(app.getByRole('heading', { level: 1 })).toHaveText(heading);
    const main = app.getByRole('main');
    await expect(main.getByRole('status', { name: 'Lädt …' })).toHaveCount(0);
    // What is cut off without a title of its own, and what makes the page scroll sideways.
    const wide = await main.evaluate((content) => {
      const page = document.documentElement;
      const cut = [...document.querySelectorAll<HTMLElement>('button, [role="tab"], label, h1, h2, th, nav a')]
        .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
        .filter((element) => getComputedStyle(element).overflowX !== 'visible' && element.clientWidth > 0)
        .map((element) => `${element.tagName} ${element.textContent?.trim()}`);
      return [
        ...cut,
        ...[page, content]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ tagName }) => `${tagName} scrolls sideways`),
      ];
    });
    expect.soft(wide, path).toEqual([]);
    if (process.env.PLANCHET_GERMAN_SHOTS) {
      const name = path.slice(1).replaceAll('/', '-') || 'home';
      await app.screenshot({ path: `${process.env.PLANCHET_GERMAN_SHOTS}/${name}.png` });
    }
  }
});
