import { z } from 'zod';
import { outpointSchema } from '../common.ts';
import { procedure } from '../procedure.ts';

/** Web address of a folder of pages, with a trailing slash. */
const baseUrlSchema = z
  .url({ protocol: /^https?$/, hostname: z.regexes.domain })
  .max(500)
  .transform((url) => (url.endsWith('/') ? url : `${url}/`));

const projectUid = z.string().min(1).max(128);
const addressSchema = z.object({ baseUrl: z.string().nullable() });

/** The path of a file in the folder. It consists of numbers and fixed words, never of a name that somebody chose. */
export const publishedPath = z.string().regex(/^(?:[a-z]+\/)?[a-z0-9_-]{1,80}\.[a-z0-9]{1,5}$/);

export const publicationSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Number of tokens with a page. */
  tokens: z.number().int(),
  /** Number of parts of the folder. */
  parts: z.number().int(),
});

/**
 * The minted tokens of a project as a folder of pages for any web server (docs/publishing.md). It is sent in parts, so that no side holds all of
 * it in memory, and the client knows the progress and can stop.
 */
export const publishingContract = {
  /**
   * The tokens that can be published now. Tokens minted later are not included.
   * @param baseUrl future address of the folder, for links that must be absolute: pictures of link previews, canonical links, the feed.
   *   It is stored as the address of the project once all parts were sent
   */
  plan: procedure
    .input(z.object({ projectUid, baseUrl: baseUrlSchema.nullable().default(null) }))
    .output(publicationSchema),
  /** The files of a part, from 0 on, each part once and in order: `content` contains their bytes, one file after the other. */
  part: procedure.input(z.object({ id: z.string().max(64), part: z.number().int().min(0) })).output(
    z.object({
      files: z.array(z.object({ path: publishedPath, bytes: z.number().int() })),
      content: z.instanceof(Blob),
    }),
  ),
  /** The stored address of a project's folder; null if there is none. */
  address: procedure.input(z.object({ projectUid })).output(addressSchema),
  /** Sets or removes the address of a project's folder. */
  setAddress: procedure.input(z.object({ projectUid, baseUrl: baseUrlSchema.nullable() })).output(addressSchema),
  /**
   * The web address of a token's page, to send to others.
   * @param origin where the token was inscribed
   * @returns null if its project was not published, or the address of its folder is unknown
   */
  link: procedure.input(z.object({ origin: outpointSchema })).output(z.object({ url: z.string().nullable() })),
};
