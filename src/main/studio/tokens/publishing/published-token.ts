import { type ContentType, contentTypeOf, essence } from '../../../../contract/index.ts';
import type { Pictures } from '../../../ports/pictures.ts';
import type { ProvenFile, ProvenPlace } from '../proof/bundler.ts';

/** Longest sides of the pictures of a token, in pixels: for a tile, a page, and a large screen or a link preview. */
const SIDES = [320, 800, 1_600] as const;
/** A picture that is no larger is shown as it was inscribed. */
const MOST_SHOWN_BYTES = 3_000_000;
/** Text that a page holds; what is longer is read from the proof. */
const MOST_WORDS_BYTES = 1_000_000;
const MOST_DRAWING_BYTES = 300_000;
/** Largest model that the pages draw. A larger one is shown in the proof only. */
const MOST_MODEL_BYTES = 20_000_000;

/** A token as the script of the pages takes it, with addresses from the folder's root. */
export interface PublishedToken {
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly outpoints: readonly string[];
  readonly block: { readonly height: number; readonly hash: string /** Milliseconds. */; readonly time: number };
  readonly page: string | null;
  readonly small: string | null;
  readonly large: string | null;
  /** For a link preview and for collectors' tools: a picture made of pixels. */
  readonly preview: string | null;
  /** The inscribed bytes as a file, if opening it cannot run scripts. */
  readonly file: string | null;
  /** Text or a document, which has no file of its own. */
  readonly words: string | null;
  /** A script that holds the bytes of a model: a page that was opened from a disk may run a file beside it, but read none. */
  readonly model: string | null;
  readonly proof: string;
}

export interface PublishedFile {
  readonly path: string;
  readonly content: Uint8Array | string;
}

interface Subject {
  readonly token: ProvenFile['proven']['tokens'][number];
  readonly place: ProvenPlace;
  /** The base name of its files, made of digits or a fixed word. */
  readonly stem: string;
  readonly page: string | null;
  readonly pictures: Pick<Pictures, 'resized'>;
}

/** The files of a token's content, and what its page says. */
export async function publishedToken(subject: Subject): Promise<{ token: PublishedToken; files: PublishedFile[] }> {
  const { token, place, stem, page, pictures } = subject;
  const { content, contentType, sha256, metadata, origin } = token;
  const type = essence(contentType);
  const known = contentTypeOf(type);
  const files: PublishedFile[] = [];
  const isDrawing = type === 'image/svg+xml';
  const sized = isDrawing || known?.pixels !== undefined ? await sizes(content, stem, pictures) : [];
  files.push(...sized);
  const [small, , largest] = sized.map(({ path }) => path);
  const file = isHarmless(known) ? `art/${stem}.${known?.extensions[0]}` : null;
  if (file !== null) files.push({ path: file, content });
  const model = type === 'model/gltf-binary' && content.length <= MOST_MODEL_BYTES ? `art/${stem}.js` : null;
  if (model !== null) {
    files.push({ path: model, content: `models['${model}']='${Buffer.from(content).toString('base64')}';\n` });
  }
  const isMedia = /^(?:audio|video)\//.test(type);
  const asInscribed =
    file !== null && (isMedia || (known?.pixels !== 'not shown' && content.length <= MOST_SHOWN_BYTES));
  const words = !isDrawing && (known?.preview === 'html' || known?.preview === 'text' || type.startsWith('text/'));
  const drawn =
    isDrawing && content.length <= MOST_DRAWING_BYTES
      ? `data:${type};base64,${Buffer.from(content).toString('base64')}`
      : null;
  return {
    files,
    token: {
      contentType,
      bytes: content.length,
      sha256,
      metadata,
      outpoints: place.outpoints,
      block: { height: place.block.height, hash: place.block.hash, time: place.block.time * 1_000 },
      page,
      small: small ?? drawn ?? (asInscribed ? file : null),
      large: drawn ?? (asInscribed ? file : (largest ?? null)),
      preview: largest ?? null,
      file,
      words: words && content.length <= MOST_WORDS_BYTES ? new TextDecoder().decode(content) : null,
      model,
      proof: `proof/${origin.slice(0, 64)}.html#t=${origin}`,
    },
  };
}

/** A document or a drawing that somebody opens by itself would run its scripts under the address of the folder's owner. */
function isHarmless(known: ContentType | undefined): known is ContentType {
  if (known === undefined || known.extensions.length === 0) return false;
  return known.pixels !== undefined || /^(?:audio|video)\//.test(known.type) || known.type === 'model/gltf-binary';
}

async function sizes(
  content: Uint8Array,
  stem: string,
  pictures: Pick<Pictures, 'resized'>,
): Promise<{ path: string; content: Uint8Array }[]> {
  const made: { path: string; content: Uint8Array }[] = [];
  for (const side of SIDES) {
    const picture = await pictures.resized(content, side);
    if (!(picture instanceof Uint8Array)) return [];
    made.push({ path: `art/${stem}-${side}.webp`, content: picture });
  }
  return made;
}
