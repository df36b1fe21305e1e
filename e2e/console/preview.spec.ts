import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '../support/fixtures.ts';
import { approveAndWait, buildMint, createProject, goTo } from '../support/studio.ts';

/** A page that tries everything to reach a server and to run. */
const pageOf = (server: string): string => `<!doctype html><html><head><title>A token</title>
<style>h1 { color: rgb(1, 2, 3) } body { background: url(${server}/pixel.png) }</style>
<style>@import url(${server}/more.css);</style>
<script>document.body.innerHTML = 'run'</script></head>
<body onload="document.body.innerHTML = 'run'">
<h1>Copper</h1><p style="color: rgb(4, 5, 6); } h1 { color: red">Inline</p>
<img src="${server}/pixel.png" onerror="document.body.innerHTML = 'run'">
<form action="${server}/"><button>Send</button></form>
<a href="${server}/" target="_top">Leave</a></body></html>`;

test('an HTML token is shown with its styles, and runs and loads nothing, as a file and as the explorer reads it', async ({
  page: app,
  host,
}) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = pageOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await app.goto(await host.login());
  await expect(app.getByRole('navigation').first()).toBeVisible();
  await createProject(app, 'Pages', [{ name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(page) }]);
  const harmless = async (): Promise<void> => {
    const frame = app.frameLocator('iframe');
    await expect(frame.getByRole('heading', { name: 'Copper' })).toHaveCSS('color', 'rgb(1, 2, 3)');
    await expect(frame.getByText('Inline')).toHaveCSS('color', 'rgb(4, 5, 6)');
    await expect(app.locator('iframe')).toHaveAttribute('sandbox', '');
    const before = app.url();
    await frame.getByRole('link', { name: 'Leave' }).click();
    await frame.getByRole('button', { name: 'Send' }).click();
    await expect(frame.getByRole('heading', { name: 'Copper' })).toBeVisible();
    expect(app.url()).toBe(before);
    expect(asked).toEqual([]);
  };
  await app.getByRole('button', { name: /^(Edit|Show) Page/ }).click();
  await harmless();
  await app.reload();
  await buildMint(app);
  await approveAndWait(app);
  const transaction = await app.getByRole('link', { name: 'Open the transaction' }).getAttribute('href');
  await goTo(app, transaction?.replace(/^.*#/, '') as string);
  await harmless();
  server.close();
});
