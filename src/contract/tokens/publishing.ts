import { z } from 'zod';
import { outpointSchema } from '../common.ts';
import { procedure } from '../procedure.ts';

/** Where a folder of pages will stand, with a slash at its end. */
const baseUrlSchema = z
  .url({ protocol: /^https?$/, hostname: z.regexes.domain })
  .max(500)
  .transform((url) => (url.endsWith('/') ? url : `${url}/`));

const projectUid = z.string().min(1).max(128);
const addressSchema = z.object({ baseUrl: z.string().nullable() });

/** The path of a file in the folder: made of numbers and fixed words, never of a name that somebody chose. */
export const publishedPath = z.string().regex(/^(?:[a-z]+\/)?[a-z0-9_-]{1,80}\.[a-z0-9]{1,5}$/);

export const publicationSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Tokens that get a page. */
  tokens: z.number().int(),
  /** How many parts the folder is made of. */
  parts: z.number().int(),
});

/**
 * The minted tokens of a project as a folder of pages for any web server (docs/publishing.md). It is handed over part by part, so that nobody
 * holds all of it, and whoever takes it sees how far it is and may stop.
 */
export const publishingContract = {
  /**
   * What there is to publish now. What is minted later is not in it.
   * @param baseUrl where the folder will stand, for what must name its whole address: pictures of link previews, canonical links, the feed.
   *   It is kept, once all parts are handed over, as the address of the project
   */
  plan: procedure
    .input(z.object({ projectUid, baseUrl: baseUrlSchema.nullable().default(null) }))
    .output(publicationSchema),
  /** The files of a part, from 0 on, each part once and in order: `content` is their bytes, one file after the other. */
  part: procedure.input(z.object({ id: z.string().max(64), part: z.number().int().min(0) })).output(
    z.object({
      files: z.array(z.object({ path: publishedPath, bytes: z.number().int() })),
      content: z.instanceof(Blob),
    }),
  ),
  /** Where the folder of a project stands, as it was said last; null where nobody said it. */
  address: procedure.input(z.object({ projectUid })).output(addressSchema),
  /** Says where the folder of a project stands, or that it stands nowhere. */
  setAddress: procedure.input(z.object({ projectUid, baseUrl: baseUrlSchema.nullable() })).output(addressSchema),
  /**
   * The web address of a token's page, for who is sent it.
   * @param origin where the token was inscribed
   * @returns null while its project was not published, or nobody said where its folder stands
   */
  link: procedure.input(z.object({ origin: outpointSchema })).output(z.object({ url: z.string().nullable() })),
};
