import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { merkleBranch } from '../../../src/chain/block/merkle.ts';
import { type ProofBundle, writeBundle } from '../../../src/chain/bundle/index.ts';
import { mineBlock, sampleBundle, spend } from '../../../src/chain/bundle/test-support/sample.ts';
import { sha256, toHex } from '../../../src/chain/encoding/bytes.ts';
import { inscriptionScript } from '../../../src/chain/inscription/inscription.ts';
import { satoshis } from '../../../src/chain/transaction/amount.ts';
import { txidOf } from '../../../src/chain/transaction/transaction.ts';
import { expect, testWithoutHost as test } from '../../support/fixtures.ts';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-bundle-page-'));
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

function saved(name: string, file: Uint8Array | string): string {
  writeFileSync(join(folder, name), file);
  return pathToFileURL(join(folder, name)).href;
}

const screenshots = process.env.PLANCHET_SCREENSHOTS;

test('a bundle shows and verifies its tokens in a browser without a network', async ({ page, context }) => {
  await context.setOffline(true);
  await page.goto(saved('good.html', writeBundle(sampleBundle())));
  await expect(page.getByRole('status')).toContainText('Verified');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Moon </script> #1');
  await expect(page.getByText('Sandbox (tokens without value)')).toBeVisible();
  await expect(page.getByText('What a file alone cannot show')).toBeVisible();
  await expect(page.getByText('A poem, 月')).toBeVisible();
  const image = page.getByRole('img');
  await expect(image).toBeVisible();
  await expect.poll(() => image.evaluate((art: HTMLImageElement) => art.naturalWidth)).toBeGreaterThan(0);
  await page.getByText('Proof', { exact: true }).first().click();
  await expect(page.getByText('Moved to')).toBeVisible();
  if (screenshots !== undefined) {
    for (const [scheme, width, height] of [
      ['light', 1280, 800],
      ['dark', 1280, 800],
      ['light', 1024, 640],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: join(screenshots, `bundle-${scheme}-${width}.png`) });
    }
  }
});

test('a forged bundle says in the browser what does not fit', async ({ page }) => {
  const good = new TextDecoder().decode(writeBundle(sampleBundle()));
  const forged = (change: (bundle: ProofBundle) => Partial<ProofBundle>) => {
    const bundle = sampleBundle();
    return new TextDecoder().decode(writeBundle({ ...bundle, ...change(bundle) }));
  };
  const otherHash = (token: ProofBundle['tokens'][0]) => ({ ...token, sha256: '00'.repeat(32) });
  for (const [name, file, reason] of [
    ['content.html', forged(({ tokens }) => ({ tokens: tokens.map(otherHash) })), 'has another hash'],
    [
      'index.html',
      forged(({ transactions }) => ({ transactions: transactions.map((tx) => ({ ...tx, index: 2 })) })),
      'Merkle path',
    ],
    [
      'height.html',
      forged(({ blocks }) => ({ blocks: blocks.map((block) => ({ ...block, height: 7 })) })),
      'height of a block',
    ],
    ['twice.html', forged(({ tokens }) => ({ tokens: [...tokens, ...tokens] })), 'same output'],
    [
      'metadata.html',
      forged(({ tokens }) => ({
        tokens: tokens.map((token) => ({ ...token, metadata: { ...token.metadata, name: 'Sun' } })),
      })),
      'The metadata inscribed',
    ],
    ['cut.html', good.replace('"tokens":', '"tokens"'), 'Not valid'],
  ] as const) {
    await page.goto(saved(name, file));
    await expect(page.getByRole('status')).toContainText('Not valid');
    await expect(page.getByRole('status')).toContainText(reason);
    await expect(page.getByRole('article')).toHaveCount(0);
  }
});

test('hostile content in a bundle runs nothing and reaches nobody', async ({ page }) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const html = `<h1>Art</h1><script>top.document.title = 'run'; document.body.innerHTML = 'run'</script>
<img src="${url}/a" onerror="document.body.innerHTML = 'run'"><iframe src="${url}/b"></iframe><style>@import url(${url}/c);</style>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>fetch('${url}/d')</script><image href="${url}/e"/></svg>`;
  const contents = [
    {
      contentType: 'text/html',
      content: new TextEncoder().encode(html),
      map: { name: '<img src=x onerror=alert(1)>' },
    },
    { contentType: 'image/svg+xml', content: new TextEncoder().encode(svg), map: { name: 'Svg' } },
  ];
  const pubKeyHash = new Uint8Array(20);
  const raw = spend(
    'aa'.repeat(32),
    0,
    contents.map((each) => ({ satoshis: satoshis(1), script: inscriptionScript({ ...each, pubKeyHash }) })),
  );
  const block = mineBlock(500, 'bb'.repeat(32), [raw]);
  const bundle: ProofBundle = {
    network: 'sandbox',
    blocks: [block],
    transactions: [{ raw, block: 0, index: 1, nodes: merkleBranch(block.txids, 1) }],
    tokens: contents.map(({ content, contentType, map }, vout) => ({
      outpoints: [`${txidOf(raw)}_${vout}`],
      contentType,
      sha256: toHex(sha256(content)),
      metadata: map,
    })),
  };
  await page.goto(saved('hostile.html', writeBundle(bundle)));
  await expect(page.getByRole('status')).toContainText('Verified');
  await expect(page.frameLocator('iframe').getByRole('heading', { name: 'Art' })).toBeVisible();
  await expect(page.getByRole('heading', { name: '<img src=x onerror=alert(1)>', level: 2 })).toBeVisible();
  await page.getByText('Proof', { exact: true }).last().click();
  expect(await page.title()).not.toBe('run');
  expect(asked).toEqual([]);
  server.closeAllConnections();
  server.close();
});
