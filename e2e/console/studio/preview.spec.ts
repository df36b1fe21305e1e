import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { triangle } from '../../../src/renderer/test-support/glb.ts';
import { expect, test } from '../../support/fixtures.ts';
import { openHost } from '../../support/open.ts';
import { approveAndWait, buildMint, createProject, goTo } from '../../support/studio.ts';

/** A page that tries every way to reach a server and to run scripts. */
const pageOf = (server: string): string => `<!doctype html><html><head><title>A token</title>
<style>h1 { color: rgb(1, 2, 3) } body { background: url(${server}/pixel.png) }</style>
<style>@import url(${server}/more.css);</style>
<script>document.body.innerHTML = 'run'</script></head>
<body onload="document.body.innerHTML = 'run'">
<h1>Copper</h1><p style="color: rgb(4, 5, 6); } h1 { color: red">Inline</p>
<img src="${server}/pixel.png" onerror="document.body.innerHTML = 'run'">
<form action="${server}/"><button>Send</button></form>
<a href="${server}/" target="_top">Leave</a></body></html>`;

test('an HTML token is shown with its styles, and loads and runs nothing, as a file and in the explorer', async ({
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
  await openHost(app, host);
  await createProject(app, 'Pages', [{ name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(page) }]);
  const harmless = async (): Promise<void> => {
    const frame = app.frameLocator('iframe');
    await expect(frame.getByRole('heading', { name: 'Copper' })).toHaveCSS('color', 'rgb(1, 2, 3)');
    await expect(frame.getByText('Inline')).toHaveCSS('color', 'rgb(4, 5, 6)');
    await expect(app.locator('iframe')).toHaveAttribute('sandbox', '');
    const before = app.url();
    await frame.getByText('Leave').click();
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

/** Half a second of an orange picture, as this browser records it. */
async function recorded(app: Page): Promise<Buffer> {
  const text = await app.evaluate(async () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [96, 64];
    const draw = canvas.getContext('2d') as CanvasRenderingContext2D;
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm;codecs=vp8' });
    const pieces: Blob[] = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve));
    recorder.start(50);
    // On a loaded machine ten frames may pass before the first one is encoded.
    for (let frame = 0; frame < 10 || !pieces.some(({ size }) => size > 0); frame += 1) {
      draw.fillStyle = frame % 2 === 0 ? '#ff8000' : '#ff8404';
      draw.fillRect(0, 0, 96, 64);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    recorder.stop();
    await stopped;
    return btoa(String.fromCharCode(...new Uint8Array(await new Blob(pieces).arrayBuffer())));
  });
  return Buffer.from(text, 'base64');
}

/** A quarter of a second of silence (RIFF, 8 kHz, 8 bits). */
function silence(): Buffer {
  const header = Buffer.from(
    'RIFF____WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data____',
    'latin1',
  );
  header.writeUInt32LE(2_036, 4);
  header.writeUInt32LE(2_000, 40);
  return Buffer.concat([header, Buffer.alloc(2_000, 128)]);
}

/** Whether a picture or a drawing shows something orange. */
const isOrange = (shown: Locator): Promise<boolean> =>
  shown.evaluate((element) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [32, 32];
    const draw = canvas.getContext('2d') as CanvasRenderingContext2D;
    draw.drawImage(element as HTMLImageElement | HTMLVideoElement, 0, 0, 32, 32);
    const { data } = draw.getImageData(0, 0, 32, 32);
    for (let at = 0; at < data.length; at += 4)
      if (Number(data[at]) > 150 && Number(data[at]) > Number(data[at + 2]) + 80) return true;
    return false;
  });

test('a video, a sound and a model have a still picture in their tile, and play in their page', {
  tag: '@long',
}, async ({ page: app, host }) => {
  await openHost(app, host);
  await createProject(app, 'Media', [
    { name: 'film.webm', mimeType: 'video/webm', buffer: await recorded(app) },
    { name: 'song.wav', mimeType: 'audio/wav', buffer: silence() },
    { name: 'shape.glb', mimeType: 'model/gltf-binary', buffer: Buffer.from(triangle()) },
  ]);
  for (const name of ['Film', 'Shape']) {
    const still = app.getByRole('button', { name: `Edit ${name}` }).getByRole('img', { name: /^Picture of/ });
    // Here the page renders them in software, one after the other.
    await expect.poll(() => isOrange(still), { timeout: 60_000 }).toBe(true);
  }
  await app.getByRole('button', { name: /^(Edit|Show) Film/ }).click();
  const film = app.getByLabel(/^Video: film/);
  await film.evaluate((video: HTMLVideoElement) => video.play());
  await expect.poll(() => isOrange(film)).toBe(true);
  await app.keyboard.press('Escape');
  await app.getByRole('button', { name: /^(Edit|Show) Song/ }).click();
  await expect
    .poll(() => app.getByLabel(/^Sound: song/).evaluate((sound: HTMLAudioElement) => sound.duration))
    .toBe(0.25);
  await app.keyboard.press('Escape');
  await app.getByRole('button', { name: /^(Edit|Show) Shape/ }).click();
  const shape = app.getByRole('application', { name: /^Model: shape/ });
  await expect(shape.locator('canvas')).toBeVisible();
  const before = await shape.screenshot();
  await shape.press('ArrowRight');
  await expect.poll(async () => (await shape.screenshot()).equals(before)).toBe(false);
});

/** Every way in which a document can navigate its frame, or open a tab. */
const linksTo = (
  server: string,
): string => `<!doctype html><head><meta http-equiv="refresh" content="0;url=${server}/refresh">
<base href="${server}/" target="_top"></head><body><h1 id="top">Links</h1>
<p><a href="${server}/plain">plain</a> <a href="${server}/self" target="_self">self</a> <a href="${server}/new" target="_blank">new</a>
<a href="${server}/parent" target="_parent" ping="${server}/ping">parent</a> <a href="/relative">relative</a> <a href="//evil">bare</a>
<a href="javascript:document.body.append('ran')">script</a> <a href="data:text/html,<h1>Data</h1>">data</a> <a href="about:blank">blank</a>
<a href="${server}/file" download>download</a> <a href="#below">within</a></p>
<map name="m"><area href="${server}/area" shape="default" alt="area"></map>
<img usemap="#m" alt="mapped" width="60" height="20" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
<svg width="120" height="40"><a href="${server}/svg"><text y="15">svg</text></a>
<a><set attributeName="href" to="${server}/set"/><text x="50" y="15">later</text></a>
<a xlink:href="${server}/xlink"><text y="35">xlink</text></a></svg>
<div><template shadowrootmode="open"><a href="${server}/shadow">shadow</a></template></div>
<form action="${server}/form"><button>send</button><button formaction="${server}/other">other</button></form>
<div style="height: 2000px"></div><p id="below">Below</p></body>`;

test('links inside a preview navigate neither the frame nor the page, and open no tab', { tag: '@long' }, async ({
  page: app,
  host,
}) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('<h1>Elsewhere</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const html = linksTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await openHost(app, host);
    await createProject(app, 'Links', [{ name: 'links.html', mimeType: 'text/html', buffer: Buffer.from(html) }]);
    await app.getByRole('button', { name: /^(Edit|Show) Links/ }).click();
    const frame = app.frameLocator('iframe');
    const heading = frame.getByRole('heading', { name: 'Links' });
    await expect(heading).toBeVisible();
    const before = app.url();
    const navigated: string[] = [];
    app.on('framenavigated', (one) => navigated.push(one.url()));
    const words = ['plain', 'self', 'new', 'parent', 'relative', 'bare', 'script', 'data', 'blank', 'download'];
    for (const word of [...words, 'svg', 'later', 'xlink', 'send', 'other']) {
      const link = frame.getByText(word, { exact: true });
      for (const options of [{}, { modifiers: ['Control' as const] }, { button: 'middle' as const }]) {
        await link.click({ ...options, force: true });
      }
      await app.keyboard.press('Enter');
      await expect(heading, word).toBeAttached();
    }
    await frame.getByRole('img', { name: 'mapped' }).click({ force: true });
    await expect(frame.getByText('shadow')).toHaveCount(0);
    await expect(frame.getByText('plain', { exact: true })).toHaveAttribute('title', /\/plain$/);
    // A link to an anchor in the document still works.
    await frame.getByText('within', { exact: true }).click();
    await expect(frame.getByText('Below')).toBeInViewport();
    await expect(heading).toBeAttached();
    expect(navigated.filter((url) => !url.startsWith('about:srcdoc'))).toEqual([]);
    expect(app.url()).toBe(before);
    expect(app.context().pages()).toHaveLength(1);
    expect(asked).toEqual([]);
  } finally {
    server.close();
  }
});

/** Text that would run, load, be translated, leave its element or break the layout if it were not rendered as plain text. */
const hostileTexts = (server: string): string[] => [
  `<img src="${server}/x" onerror="window.ran = 1">`,
  `<script src="${server}/s"></script><script>window.ran = 2</script>`,
  `"><svg onload="window.ran = 3"><iframe srcdoc="<script>parent.ran = 4</script>">`,
  'javascript:window.ran=5//\n</textarea></style></title>',
  '{{name}} {{- name}} $t(common.retry) %s {0}',
  `[link](${server}/md) ![picture](${server}/md.png)`,
  '\u202egnp.live\u202c \u2066\u200f\u200b\ufeff zero\u0301\u0302\u0303',
  'W'.repeat(110),
  '=HYPERLINK("http://evil","x")',
];

test('hostile names, descriptions and traits are rendered as text everywhere', async ({ app, host }) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const texts = hostileTexts(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const client = host.client();
    const { uid } = await client.projects.create({ name: texts[0]?.slice(0, 120) as string, type: 'single' });
    const shown: {
      name: string;
      metadata: { name: string; description: string; traits: { name: string; value: string }[] };
    }[] = [];
    const itemIds: string[] = [];
    for (const [index, text] of texts.entries()) {
      const bytes = Buffer.from(`content ${index}`);
      const { uploadId } = await client.files.begin({
        name: `${index}.txt`,
        bytes: bytes.length,
        contentType: 'text/plain',
      });
      await client.files.append({ uploadId, offset: 0, piece: new Blob([bytes]) });
      const { sha256 } = await client.files.finish({ uploadId });
      const name = text.trim().slice(0, 120);
      const traits = [
        { name: text.trim().slice(0, 64).trim(), value: text.trim().slice(0, 256) },
        { name: `trait ${index}`, value: texts.join(' ').slice(0, 256).trim() },
      ];
      const metadata = { name, description: texts.join('\n').slice(0, 2_000), traits };
      const item = await client.items.create({ projectUid: uid, sha256, fileName: `${index}.txt`, metadata });
      shown.push({ name: item.metadata.name, metadata: item.metadata });
      itemIds.push(item.id);
    }
    const harmless = async (where: string): Promise<void> => {
      await expect(app.locator('h1').first()).toBeVisible();
      const found = await app.evaluate(() => ({
        ran: 'ran' in window,
        beside: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        put: document.querySelectorAll(
          'main img[src^="http"], main script, main svg[onload], main a[href^="javascript"]',
        ).length,
      }));
      expect(found, where).toEqual({ ran: false, beside: 0, put: 0 });
      expect(asked, where).toEqual([]);
    };
    await app.setViewportSize({ width: 1024, height: 640 });
    await goTo(app, `/projects/${uid}`);
    for (const { name } of shown) await expect(app.getByText(name, { exact: true }).first()).toBeVisible();
    await harmless('project');
    for (const { metadata } of shown) {
      await app.getByRole('button', { name: `Edit ${metadata.name}`, exact: true }).click();
      const dialog = app.getByRole('dialog');
      await expect(dialog.getByRole('textbox', { name: 'Description' })).toHaveValue(metadata.description);
      await expect(dialog.getByRole('textbox', { name: 'Value of trait 1' })).toHaveValue(
        metadata.traits[0]?.value.replaceAll('\n', '') as string,
      );
      await harmless(`editor of ${metadata.name}`);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await expect(dialog).toHaveCount(0);
    }
    await buildMint(app);
    await harmless('review');
    await app.getByRole('button', { name: 'Show every field' }).click();
    await harmless('fields of the review');
    await approveAndWait(app);
    await harmless('result');
    await app.getByRole('link', { name: 'Open the transaction' }).click();
    const tiles = app.getByRole('region', { name: `${shown.length} tokens`, exact: true });
    await expect(tiles.getByRole('button')).toHaveCount(shown.length);
    await harmless('tiles of the transaction');
    for (const { metadata } of shown) {
      await tiles.getByRole('button').filter({ hasText: metadata.name }).first().click();
      const token = app.getByRole('region', { name: metadata.name, exact: true }).first();
      await expect(token.getByText(metadata.traits[1]?.name as string, { exact: true })).toBeVisible();
      for (const value of [metadata.traits[0]?.value, metadata.description]) {
        expect(await token.locator('dd').allTextContents()).toContain(value);
      }
    }
    await harmless('transaction');
    const [token] = (await client.tokens.list({ limit: 1 })).tokens;
    for (const path of ['/', '/jobs', `/explorer/outpoint/${token?.outpoint}`]) {
      await goTo(app, path);
      await harmless(path);
    }
  } finally {
    server.close();
  }
});
