export {
  type BundleBlock,
  type BundleNetwork,
  type BundleToken,
  type BundleTransaction,
  MAX_BUNDLE_BYTES,
  type ProofBundle,
} from './format.ts';
export { readBundle, writeBundle } from './page.ts';
export { type ProvenBlock, type ProvenBundle, type ProvenToken, verifyBundle } from './verify.ts';
