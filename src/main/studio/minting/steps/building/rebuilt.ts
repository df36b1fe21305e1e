/**
 * `built` or `reviewed` → `uploaded`: another transaction is built of the same tokens, and is reviewed and approved like the first. The caller
 * releases the coins.
 */
export const rebuilt = {
  state: 'uploaded',
  failure: null,
  job: {
    halted: 0,
    // The outputs are in the earlier transaction: the build finds that out and uploads new ones.
    review: null,
    approved_digest: null,
    build_intent: 1,
    quote: null,
    coins: null,
  },
  transaction: { tx_obj: null },
} as const;
