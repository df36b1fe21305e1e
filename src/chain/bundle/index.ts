export {
  type BundleBlock,
  type BundleToken,
  type BundleTransaction,
  MAX_BUNDLE_BYTES,
  type ProofBundle,
} from './format.ts';
export { ARTIST_KEYS, MOST_TRAITS, PROTOCOL_KEYS } from './page/base-script.ts';
export { FOLDER_SCRIPT } from './page/folder-script.ts';
export { PAGE_STYLE } from './page/style.ts';
export { pageTexts } from './page/texts.ts';
export { readBundle, writeBundle } from './page.ts';
export { type ProvenBlock, type ProvenBundle, verifyBundle } from './verify.ts';
