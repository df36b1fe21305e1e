import { sha256, toHex } from '../encoding/bytes.ts';
import { bundleInvalid, MAX_BUNDLE_BYTES, type ProofBundle, parseBundle, serializeBundle } from './format.ts';
import { PAGE_SCRIPT } from './page-script.ts';

const OPEN = '<script type="application/json" id="bundle">';
const CLOSE = '</script>';

const encoder = new TextEncoder();
const scriptHash = Buffer.from(sha256(encoder.encode(PAGE_SCRIPT))).toString('base64');

/** The page and its frames load nothing and run no other script. */
const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${scriptHash}'`,
  "style-src 'unsafe-inline'",
  'img-src blob: data:',
  'media-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e3dfda, #3a3734); --quiet: light-dark(#6b6661, #a8a29b); --metal: light-dark(#a5581f, #e09a5f);
  --ground: light-dark(#faf9f7, #1b1a19); --sheet: light-dark(#fff, #252422); --good: light-dark(#1f6b3a, #7fd19b); --bad: light-dark(#a32b22, #ff9c92); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); font: 14px/1.5 Inter, system-ui, sans-serif; }
header, main, footer { max-width: 1200px; margin: 0 auto; padding: 24px; }
header { padding-bottom: 0; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; }
h2 { margin: 12px 12px 4px; font-size: 15px; }
p { margin: 8px 0; max-width: 76ch; }
.quiet, footer, dt { color: var(--quiet); }
#verdict { padding: 10px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); }
#verdict.good { border-color: currentColor; color: var(--good); }
#verdict.bad { border-color: currentColor; color: var(--bad); font-weight: 600; }
#tokens { display: grid; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)); gap: 16px; align-items: start; }
#tokens:has(article:only-child) { grid-template-columns: minmax(0, 620px); }
article { border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); overflow: hidden; padding-bottom: 12px; }
.art { display: grid; place-items: center; aspect-ratio: 1; border-bottom: 1px solid var(--line); overflow: hidden; background: light-dark(#f1eeea, #131211); }
.art img { width: 100%; height: 100%; object-fit: contain; }
.art iframe { width: 100%; height: 100%; border: 0; background: #fff; }
.art pre { width: 100%; height: 100%; margin: 0; padding: 12px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.art video, .art audio { width: 100%; max-height: 100%; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; margin: 0 12px; }
dd { margin: 0; overflow-wrap: anywhere; }
details { margin: 10px 12px 0; border-top: 1px solid var(--line); padding-top: 8px; }
summary { cursor: pointer; color: var(--metal); }
.proof { margin: 8px 0; font: 12px/1.5 ui-monospace, monospace; }
a { color: var(--metal); }
button { margin-top: 16px; padding: 8px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); color: inherit; font: inherit; cursor: pointer; }
:focus-visible { outline: 2px solid var(--metal); outline-offset: 2px; }
`;

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Proof bundle</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="quiet"><span id="network">Proof bundle</span> · <span id="count">tokens with their proof</span></p>
<h1 id="title">Proof bundle</h1>
<p id="verdict" role="status">Verifying…</p>
<noscript><p>This page needs JavaScript to verify and to show what it holds. It uses no network.</p></noscript>
<div id="limits" class="quiet" hidden>
<p>What a file alone cannot show: that these blocks are part of the chain that everybody follows, and that no token was moved since. Look the blocks up by their hash and height at a node you trust, or run “planchet verify” on this file.</p>
</div>
</header>
<main><div id="tokens"></div><button id="more" type="button" hidden>Show more</button></main>
<footer>Written by Planchet. Everything on this page comes from this file; the browser recomputed each hash when you opened it.</footer>
`;
const TAIL = `
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;

/**
 * SHA-256 of every earlier version of the page around a bundle. A page with any other hash is refused, so it cannot display something
 * other than its data. When the page changes, add the previous hash here.
 */
const earlierPages: readonly string[] = ['97d87c23a50192fc7ef9cc3458909ed435d0bdf07520765f8251c4b427c0f28b'];
const knownPages = new Set([hashOf(HEAD + TAIL), ...earlierPages]);

/** The bundle as a file: one self-contained HTML page. @throws ChainError `bundle-invalid` if it would be too large */
export function writeBundle(bundle: ProofBundle): Uint8Array {
  const file = encoder.encode(`${HEAD}${OPEN}${serializeBundle(bundle)}${CLOSE}${TAIL}`);
  if (file.length > MAX_BUNDLE_BYTES) throw tooLarge(file.length);
  return file;
}

/**
 * Reads a bundle file. The page around the data must match a page that this program writes, byte for byte.
 * @throws ChainError `bundle-invalid`
 */
export function readBundle(file: Uint8Array): ProofBundle {
  if (file.length > MAX_BUNDLE_BYTES) throw tooLarge(file.length);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file);
  } catch {
    throw bundleInvalid('The file is not text.');
  }
  const start = text.indexOf(OPEN);
  const end = text.indexOf(CLOSE, start);
  if (start < 0) throw bundleInvalid('The file is not a proof bundle.');
  if (end < 0) throw bundleInvalid('The file is cut off.');
  if (!knownPages.has(hashOf(text.slice(0, start) + text.slice(end + CLOSE.length)))) {
    throw bundleInvalid('The page around the data was changed, cut off, or written by another version of the program.');
  }
  return parseBundle(text.slice(start + OPEN.length, end));
}

function hashOf(text: string): string {
  return toHex(sha256(encoder.encode(text)));
}

function tooLarge(bytes: number) {
  const most = MAX_BUNDLE_BYTES / 1_048_576;
  return bundleInvalid(`The file has ${Math.ceil(bytes / 1_048_576)} MiB; a bundle has at most ${most} MiB.`);
}
