import { z } from 'zod';
import { hashSchema, hexSchema, outpointSchema, satoshisSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { allowed } from '../phrases/allowed.ts';
import { tokenJobStateSchema } from '../states/state-schemas.ts';
import { reviewSchema } from '../studio/review.ts';
import { jobActionsShape } from '../studio/studio.ts';

const address = z.string().max(128);
const amount = satoshisSchema.min(1);
const text = (most: number) => z.string().max(most);

/** What an issuer designs. The contract adds `tokenId`, the issuer's public key hash; further keys are left as they are. */
export const tokenDesignSchema = z.looseObject({
  symbol: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, allowed('rule.symbol')),
  name: text(32).optional(),
  description: text(512).optional(),
  image: text(512).optional(),
  satsPerToken: z.number().int().min(1).max(1_000_000_000),
  totalSupply: z.number().int().min(1).max(2_100_000_000_000_000),
  decimals: z.number().int().min(0).max(8).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});
export type TokenDesign = z.infer<typeof tokenDesignSchema>;

const destination = z.object({ address, satoshis: amount });
const destinations = z.array(destination).min(1).max(4);
const pair = z.array(outpointSchema).length(2);

export const tokenActions = [
  'contract',
  'issue',
  'transfer',
  'split',
  'merge',
  'mergeSplit',
  'redeemSplit',
  'redeem',
] as const;
export type TokenAction = (typeof tokenActions)[number];

/** A request for a transaction with redeemable tokens. Amounts are satoshis, which are a token's base units. */
export const tokenRequestSchema = z.discriminatedUnion('action', [
  /** Locks `totalSupply` × `satsPerToken` satoshis as the supply. */
  z.object({ action: z.literal('contract'), schema: tokenDesignSchema }),
  z.object({
    action: z.literal('issue'),
    contract: outpointSchema,
    splittable: z.boolean(),
    to: z
      .array(destination.extend({ data: text(10_000).optional() }))
      .min(1)
      .max(100),
  }),
  z.object({ action: z.literal('transfer'), token: outpointSchema, to: address }),
  z.object({ action: z.literal('split'), token: outpointSchema, to: destinations }),
  z.object({ action: z.literal('merge'), tokens: pair, to: address }),
  z.object({ action: z.literal('mergeSplit'), tokens: pair, to: destinations.max(2) }),
  /** The remainder is redeemed. */
  z.object({ action: z.literal('redeemSplit'), token: outpointSchema, to: destinations }),
  z.object({ action: z.literal('redeem'), token: outpointSchema }),
]);
export type TokenRequest = z.infer<typeof tokenRequestSchema>;

/** The review of a transaction with redeemable tokens, including what happens to the token. */
export const tokenReviewSchema = reviewSchema.extend({
  symbol: z.string(),
  /** Satoshis of the token that go in, come out as tokens, and go back to the issuer as money. */
  tokensIn: satoshisSchema,
  tokensOut: satoshisSchema,
  redeemed: satoshisSchema,
});
export type TokenReview = z.infer<typeof tokenReviewSchema>;

/** One transaction of a token's life; its states are `tokenJobStates`. */
export const tokenJobSchema = z.object({
  id: z.string(),
  request: tokenRequestSchema,
  symbol: z.string(),
  state: tokenJobStateSchema,
  awaitingApproval: z.boolean(),
  ...jobActionsShape,
  /** True while a step is being worked on or will be tried again by itself. */
  active: z.boolean(),
  failure: failureSchema.nullable(),
  review: tokenReviewSchema,
  txid: hashSchema.nullable(),
  blockHash: hashSchema.nullable(),
  blockHeight: z.number().int().nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});
export type TokenJob = z.infer<typeof tokenJobSchema>;

/** A token output that the wallet owns. */
export const heldTokenSchema = z.object({
  outpoint: outpointSchema,
  satoshis: satoshisSchema,
  /** The wallet's address that owns it. */
  address: z.string(),
  /** False while no block holds it. */
  confirmed: z.boolean(),
  /** True while a transaction that spends it is not finished. */
  inUse: z.boolean(),
  /**
   * Whether its history leads back to a contract of its issuer. `unchecked`: this could not be verified, for example since the node lacks its
   * history; it is tried again. `notGenuine`: anybody may have created it, and it cannot be spent here.
   */
  history: z.enum(['checking', 'genuine', 'notGenuine', 'unchecked']),
});
export type HeldToken = z.infer<typeof heldTokenSchema>;

/** All tokens of one kind that the wallet owns: the same issuer, symbol, rules and data. */
export const tokenHoldingSchema = z.object({
  kind: hashSchema,
  symbol: z.string(),
  splittable: z.boolean(),
  mergeable: z.boolean(),
  /** Where it is redeemed. */
  issuer: z.string(),
  ownIssue: z.boolean(),
  data: hexSchema.nullable(),
  /** Of all tokens except those known not to be genuine. */
  satoshis: satoshisSchema,
  /** Satoshis per token by its contract; null if no history was verified, or if contracts differ. */
  satsPerToken: satoshisSchema.nullable(),
  tokens: z.array(heldTokenSchema),
});
export type TokenHolding = z.infer<typeof tokenHoldingSchema>;

/** A contract of the wallet that was not issued yet. */
export const tokenContractSchema = z.object({
  outpoint: outpointSchema,
  satoshis: satoshisSchema,
  /** Null if it is beyond the limits of a design. It cannot be issued here then, but a payment or a sweep can spend it. */
  schema: tokenDesignSchema.nullable(),
  confirmed: z.boolean(),
  inUse: z.boolean(),
});
export type TokenContract = z.infer<typeof tokenContractSchema>;

export const tokenOverviewSchema = z.object({
  /** Where to receive tokens; null while there is no wallet or it is locked. */
  address: z.string().nullable(),
  /** Where tokens issued by this wallet are redeemed, and the `tokenId` of its contracts. */
  issuer: z.object({ address: z.string(), tokenId: z.string() }).nullable(),
  contracts: z.array(tokenContractSchema),
  holdings: z.array(tokenHoldingSchema),
  /** Newest first. */
  jobs: z.array(tokenJobSchema),
});
export type TokenOverview = z.infer<typeof tokenOverviewSchema>;

/** The known history of a token, with every transaction after those it depends on. */
export const tokenHistorySchema = z.object({
  symbol: z.string(),
  /** Every step up to the given token was verified, back to the contract. */
  steps: z.array(
    z.object({
      txid: hashSchema,
      action: z.enum(tokenActions),
      verified: z.boolean(),
      blockHeight: z.number().int().nullable(),
      inputs: z.array(outpointSchema),
      outputs: z.array(
        z.object({
          outpoint: outpointSchema,
          satoshis: satoshisSchema,
          address: z.string(),
          own: z.boolean(),
          /** True for money that was returned to the issuer. */
          redeemed: z.boolean(),
        }),
      ),
    }),
  ),
});
export type TokenHistory = z.infer<typeof tokenHistorySchema>;
