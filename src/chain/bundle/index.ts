export {
  type BundleBlock,
  type BundleToken,
  type BundleTransaction,
  MAX_BUNDLE_BYTES,
  type ProofBundle,
} from './format.ts';
export { readBundle, writeBundle } from './page.ts';
export { type ProvenBundle, verifyBundle } from './verify.ts';
