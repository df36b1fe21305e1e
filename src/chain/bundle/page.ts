import { sha256, toHex } from '../encoding/bytes.ts';
import { sentence } from '../sentence.ts';
import { bundleInvalid, MAX_BUNDLE_BYTES, type ProofBundle, parseBundle, serializeBundle } from './format.ts';
import { ART_SCRIPT } from './page/art-script.ts';
import { BASE_SCRIPT } from './page/base-script.ts';
import { BUNDLE_SCRIPT } from './page/bundle-script.ts';
import { GALLERY_SCRIPT } from './page/gallery-script.ts';
import { GLB_SCRIPT } from './page/glb-script.ts';
import { MODEL_SCRIPT } from './page/model-script.ts';
import { MODEL_VIEW_SCRIPT } from './page/model-view-script.ts';
import { PAGE_STYLE } from './page/style.ts';
import { TOKEN_SCRIPT } from './page/token-script.ts';
import { VERIFY_SCRIPT } from './page/verify-script.ts';

const SCRIPT = `'use strict';${BASE_SCRIPT}${VERIFY_SCRIPT}${GLB_SCRIPT}${MODEL_SCRIPT}${MODEL_VIEW_SCRIPT}${ART_SCRIPT}${TOKEN_SCRIPT}${GALLERY_SCRIPT}${BUNDLE_SCRIPT}`;
const OPEN = '<script type="application/json" id="bundle">';
const CLOSE = '</script>';

const encoder = new TextEncoder();
const scriptHash = Buffer.from(sha256(encoder.encode(SCRIPT))).toString('base64');

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

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Proof bundle</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header id="top"><nav id="bar" aria-label="Tokens"></nav><span id="network"></span></header>
<p id="verdict" role="status">Verifying…</p>
<noscript><p>This page needs JavaScript to verify and to show what it holds. It uses no network.</p></noscript>
<main id="main"></main>
<footer id="footer"></footer>
`;
const TAIL = `
<script>${SCRIPT}</script>
</body>
</html>
`;

/**
 * SHA-256 of every earlier version of the page around a bundle. A page with any other hash is refused, so it cannot display something
 * other than its data. When the page changes, add the previous hash here.
 */
const earlierPages: readonly string[] = [
  '97d87c23a50192fc7ef9cc3458909ed435d0bdf07520765f8251c4b427c0f28b',
  '9ee8f82f549793ad9979c69358a3a913f29999b25623ef8f2b18082ab089bd4f',
  'b352bdbd7939d928c44a0ec25fde68d7fb84a25d9c3d9433fcc6ad2c619c7eae',
  'c2d8f65aef87dc73b8dafe124769f8249facbac68aa09c95bb561975713c1a6b',
  '6f93f940c1dcab0a89c412ef650ebd4020b2d052b15218d24f3984be0ef0f9e2',
  '756834f0e19b414051964a2a6a404da7c8b9dbaa49ab59ed99fe338d578be3dd',
  'a7734f4fdcdf9f895a4287d29ff4c62b81113ebf98fab342204b6336be988ea3',
  '50a5a9d6a05ebcccc603558258bdc08b2ab54f7f6ceb2fe8d14df2994c490a67',
  '7c4fc4082c74802bfc0b91f26c48ef6665cbb7e25361b60f91c04b36a474a331',
  'e4e57eb8efdef6e40d4b4dea6403dd40280951a389cb600a1a1786ae0153aca8',
  'e9fa15c0d9b9ac319757e7c7df2080aa6c1cafb00bbbe1a73fce60e223c5ca5b',
];
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
  return bundleInvalid(
    sentence('The file has {size} MiB; a bundle has at most {most} MiB.', { size: Math.ceil(bytes / 1_048_576), most }),
  );
}
