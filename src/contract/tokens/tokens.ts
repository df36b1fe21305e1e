import { z } from 'zod';
import { hashSchema, outpointSchema, satoshisSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { procedure } from '../procedure.ts';
import { mintStateSchema } from '../states/state-schemas.ts';
import { walletSendSchema } from '../wallet/wallet.ts';
import { publishingContract } from './publishing.ts';
import { sendManyContract } from './send-many.ts';

const uid = z.string().min(1).max(128);
const page = {
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(500).default(100),
};

/** Where a token comes from: minted here, or received from others. */
export const tokenSources = ['minted', 'received'] as const;
export type TokenSource = (typeof tokenSources)[number];

/** A one-satoshi token of any project, or one that the wallet received. */
export const tokenCardSchema = z.object({
  /** Its present outpoint, as far as this installation knows. */
  outpoint: outpointSchema,
  /** Outpoint of its inscription; null if the inscription of a received token was not read or not found. Its content: `transactions.content`. */
  origin: outpointSchema.nullable(),
  /** Empty if unknown. */
  name: z.string(),
  /** Its number in its collection, and its rarity rank; null if it has none. */
  number: z.number().nullable(),
  rank: z.number().nullable(),
  source: z.enum(tokenSources),
  owned: z.boolean(),
  /** Its last known receiver; null if it has left the wallet, or if its script is not locked by one key. */
  address: z.string().nullable(),
  /** False if nothing but its arrival is known about a received token. */
  read: z.boolean(),
  projectUid: z.string().nullable(),
  projectName: z.string().nullable(),
  itemId: z.string().nullable(),
  /** Of the collection's own token. */
  collectionId: outpointSchema.nullable(),
  /** The inscribed content. `stored`: the file is stored here, so that it has a thumbnail. `fileName`: name of the file minted here. */
  content: z
    .object({
      sha256: hashSchema,
      contentType: z.string(),
      bytes: z.number().int(),
      stored: z.boolean(),
      fileName: z.string().nullable(),
    })
    .nullable(),
  traits: z.array(z.object({ name: z.string(), value: z.string() })),
  state: mintStateSchema,
  blockHeight: z.number().int().nullable(),
  /** When it was minted, or first seen. */
  at: timestampSchema,
});
export type TokenCard = z.infer<typeof tokenCardSchema>;

/** Sort orders of tokens. */
export const tokenSorts = ['time', 'number', 'rank', 'name'] as const;
export type TokenSort = (typeof tokenSorts)[number];

/** All filters have to match. */
export const tokenFilterSchema = z.object({
  projectUid: uid.optional(),
  /** Values of one trait are alternatives; different traits must all match. A trait without a value matches any value. */
  traits: z
    .array(z.object({ name: z.string().max(256), value: z.string().max(1_000).optional() }))
    .max(100)
    .optional(),
  source: z.enum(tokenSources).optional(),
  owned: z.boolean().optional(),
  /** Words that must all occur in the name, a trait, the project, an id or the owner's address; upper and lower case are the same. */
  text: z.string().max(200).optional(),
  /** Tokens that left the wallet come last in every order, and within each part those without a value. */
  sort: z.enum(tokenSorts).default('time'),
  /** Reverses the order. By default the newest, the lowest number or rank, and the first letter come first. */
  reversed: z.boolean().default(false),
});
export type TokenFilter = z.output<typeof tokenFilterSchema>;

export const tokenQuerySchema = tokenFilterSchema.extend(page);
export type TokenQuery = z.output<typeof tokenQuerySchema>;

/** The possible filters of tokens, each with its number of tokens. */
export const tokenFacetsSchema = z.object({
  minted: z.number().int(),
  received: z.number().int(),
  /** Tokens of both kinds that are not in the wallet: sent, or minted to others. */
  elsewhere: z.number().int(),
  projects: z.array(z.object({ uid, name: z.string(), count: z.number().int() })),
  /** By trait, the most frequent value first: the first `MAX_FACET_TRAITS` of them. */
  traits: z.array(z.object({ name: z.string(), value: z.string(), count: z.number().int() })),
});
export type TokenFacets = z.infer<typeof tokenFacetsSchema>;

/** Maximum number of trait values offered as filters. */
export const MAX_FACET_TRAITS = 1_000;

/** One step in the history of a token: its inscription, or a transfer. */
export const tokenHopSchema = z.object({
  kind: z.enum(['mint', 'move']),
  outpoint: outpointSchema,
  txid: hashSchema,
  /** The receiver; null if the script is not locked by one key. */
  address: z.string().nullable(),
  /** Null while it waits for a block. */
  blockHash: hashSchema.nullable(),
  blockHeight: z.number().int().nullable(),
  /** Time of the block. */
  at: timestampSchema.nullable(),
});
export type TokenHop = z.infer<typeof tokenHopSchema>;

/** The inscribed metadata of a token and of its collection. These are claims of the author. */
export const tokenClaimsSchema = z.object({
  number: z.number().nullable(),
  /** How many tokens its collection has. */
  quantity: z.number().int().nullable(),
  artist: z.string().nullable(),
  /** Receivers of shares of later sales, from 0 to 1. */
  royalties: z.array(z.object({ destination: z.string(), percentage: z.number() })),
  /** Null if it names no collection, or one whose token is unknown. */
  collection: z.object({ outpoint: outpointSchema, name: z.string() }).nullable(),
  traits: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      /** Share of the collection with this value, from 0 to 1; null if unknown. */
      share: z.number().nullable(),
    }),
  ),
});
export type TokenClaims = z.infer<typeof tokenClaimsSchema>;

export const tokenDetailSchema = z.object({
  token: tokenCardSchema,
  metadata: z.record(z.string(), z.string()),
  /** How many items of its collection here, minted or not, have each of its traits; null without a collection. */
  rarity: z
    .object({ total: z.number().int(), traits: z.array(z.object({ name: z.string(), count: z.number().int() })) })
    .nullable(),
  claims: tokenClaimsSchema,
  /** From the inscription to where it is now. */
  provenance: z.array(tokenHopSchema),
  /** Why its history and metadata are unknown, for example since no node replies. */
  failure: failureSchema.nullable(),
});
export type TokenDetail = z.infer<typeof tokenDetailSchema>;

/** One item of a project, with the proof of its token. */
export const ledgerRowSchema = z.object({
  item: z.string(),
  itemId: z.string(),
  subType: z.string(),
  fileName: z.string(),
  /** SHA-256 of the content, hex. */
  fileHash: hashSchema,
  contentType: z.string(),
  bytes: z.number().int(),
  state: mintStateSchema,
  outpoint: outpointSchema.nullable(),
  txid: hashSchema.nullable(),
  blockHash: hashSchema.nullable(),
  blockHeight: z.number().int().nullable(),
  /** TSC Merkle proof with the header as its target; null until it was verified. */
  proof: z
    .object({
      index: z.number().int(),
      txOrId: hashSchema,
      targetType: z.literal('header'),
      target: z.string(),
      nodes: z.array(z.string()),
    })
    .nullable(),
  /** This item's share of the fee: the shares of one transaction add up to its fee. Null until it is signed. */
  fee: satoshisSchema.nullable(),
});
export type LedgerRow = z.infer<typeof ledgerRowSchema>;

/** The subject of a proof bundle: one token, or all mined tokens of a project. */
const bundleInputSchema = z.union([z.object({ outpoint: outpointSchema }), z.object({ projectUid: uid })]);
export type BundleInput = z.infer<typeof bundleInputSchema>;

/** Largest still picture of a film or a model for a certificate: 1 MiB. */
const MAX_STILL_BYTES = 1_048_576;

/** Procedures of the tokens of all projects, and of those that the wallet received. */
export const tokensContract = {
  /** Tokens that left the wallet come last. Each call reads the inscriptions of some received tokens. */
  list: procedure
    .input(tokenQuerySchema)
    .output(z.object({ tokens: z.array(tokenCardSchema), total: z.number().int() })),
  /** Outpoints of the matching tokens that are in the wallet, in the order of `list`, to select a range or all of them. */
  outpoints: procedure.input(tokenFilterSchema).output(z.object({ outpoints: z.array(outpointSchema) })),
  get: procedure.input(z.object({ outpoint: outpointSchema })).output(tokenDetailSchema),
  /** @param projectUid counts the traits of its tokens alone */
  facets: procedure.input(z.object({ projectUid: uid.optional() })).output(tokenFacetsSchema),
  /** The blocks that tokens were minted in, or that hold received ones, each with their number; the lowest first. */
  blocks: procedure.output(z.array(z.object({ height: z.number().int(), tokens: z.number().int() }))),
  /** One row an item, in the order of the project. */
  ledger: procedure
    .input(z.object({ projectUid: uid, ...page }))
    .output(z.object({ rows: z.array(ledgerRowSchema), total: z.number().int() })),
  /** The whole ledger as a file. */
  exportLedger: procedure
    .input(z.object({ projectUid: uid, format: z.enum(['json', 'csv']) }))
    .output(z.instanceof(Blob)),
  /** Moves a complete token to another address. Built, reviewed and journalled like every payment of the wallet. */
  send: {
    /** The same key gives the same job, which waits for approval. */
    prepare: procedure
      .input(
        z.object({
          outpoint: outpointSchema,
          address: z.string().max(128),
          idempotencyKey: z.string().min(8).max(128),
        }),
      )
      .output(walletSendSchema),
    /** Signs and submits exactly the transaction whose review had this digest. */
    approve: procedure.input(z.object({ id: uid, digest: hashSchema })).output(walletSendSchema),
    /** Possible until it is signed. */
    cancel: procedure.input(z.object({ id: uid })).output(walletSendSchema),
    get: procedure.input(z.object({ id: uid })).output(walletSendSchema),
  },
  sendMany: sendManyContract,
  /**
   * A PDF page to print or pass on: picture, name, traits, royalties, outpoint, block and a QR code of the outpoint.
   * @param picture of a film or a model, which the host does not draw; ignored for other tokens. At most 1 MiB
   */
  certificate: procedure
    .input(
      z.object({
        outpoint: outpointSchema,
        language: z.string().max(20).default('en'),
        picture: z
          .instanceof(Blob)
          .refine(({ size }) => size <= MAX_STILL_BYTES)
          .optional(),
      }),
    )
    .output(z.instanceof(Blob)),
  /** The minted tokens of a project as a folder of pages for any web server. */
  publishing: publishingContract,
  /** One HTML file that proves a token, or all mined tokens of a project, without a network (docs/proof-bundle.md). */
  bundle: procedure.input(bundleInputSchema).output(z.object({ bundle: z.instanceof(Blob), tokens: z.number().int() })),
};
