/** How content of a type may be shown. Content that is not known to be harmless is `other`, which is not shown. */
export type PreviewKind = 'image' | 'video' | 'audio' | 'model' | 'text' | 'html' | 'other';

export interface ContentType {
  /** MIME type without parameters. */
  readonly type: string;
  /** File name endings, without the dot. */
  readonly extensions: readonly string[];
  /** Text is served with its charset, because a viewer without one guesses wrongly. */
  readonly isUtf8?: true;
  readonly preview: PreviewKind;
  /** A pixel image, which can be made smaller here; `shown` if browsers can display it too. */
  readonly pixels?: 'shown' | 'not shown';
  /** Magic bytes of such a file, each a list of Latin-1 texts with their byte offsets. */
  readonly signatures?: readonly (readonly (readonly [offset: number, text: string])[])[];
  /** The built page of Planchet may contain such files, so its server sends them. */
  readonly isServed?: true;
}

const riff = (form: string) =>
  [
    [0, 'RIFF'],
    [8, form],
  ] as const;

/**
 * Every type of file that Planchet knows: to detect the type of an uploaded file, for its preview, and for the files of its own page. The order
 * matters if one signature contains another: the first match wins.
 *
 * A picture type previews as `image` if a browser decodes it in an `<img>`, where a document inside it (SVG) can neither run scripts nor
 * load anything. What a browser plays is `video` or `audio`, and `model` is drawn in three dimensions.
 */
export const contentTypes: readonly ContentType[] = [
  {
    type: 'image/png',
    pixels: 'shown',
    extensions: ['png'],
    preview: 'image',
    signatures: [[[0, '\x89PNG\r\n\x1a\n']]],
    isServed: true,
  },
  { type: 'image/apng', pixels: 'shown', extensions: ['apng'], preview: 'other' },
  {
    type: 'image/jpeg',
    pixels: 'shown',
    extensions: ['jpg', 'jpeg'],
    preview: 'image',
    signatures: [[[0, '\xff\xd8\xff']]],
    isServed: true,
  },
  {
    type: 'image/gif',
    pixels: 'shown',
    extensions: ['gif'],
    preview: 'image',
    signatures: [[[0, 'GIF87a']], [[0, 'GIF89a']]],
  },
  {
    type: 'image/webp',
    pixels: 'shown',
    extensions: ['webp'],
    preview: 'image',
    signatures: [riff('WEBP')],
    isServed: true,
  },
  { type: 'audio/wav', extensions: ['wav'], preview: 'audio', signatures: [riff('WAVE')] },
  {
    type: 'image/avif',
    pixels: 'shown',
    extensions: ['avif'],
    preview: 'image',
    signatures: [[[4, 'ftypavif']], [[4, 'ftypavis']]],
  },
  {
    type: 'image/heic',
    extensions: ['heic'],
    preview: 'other',
    signatures: ['heic', 'heix', 'hevc', 'heim', 'heis'].map((brand) => [[4, `ftyp${brand}`]] as const),
  },
  { type: 'image/heif', extensions: ['heif'], preview: 'other', signatures: [[[4, 'ftypmif1']], [[4, 'ftypmsf1']]] },
  { type: 'image/jxl', extensions: ['jxl'], preview: 'other' },
  { type: 'image/vnd.adobe.photoshop', extensions: ['psd'], preview: 'other', signatures: [[[0, '8BPS']]] },
  { type: 'audio/mp4', extensions: ['m4a'], preview: 'audio', signatures: [[[4, 'ftypM4A ']]] },
  { type: 'video/quicktime', extensions: ['mov'], preview: 'video', signatures: [[[4, 'ftypqt  ']]] },
  { type: 'video/mp4', extensions: ['mp4', 'm4v'], preview: 'video', signatures: [[[4, 'ftyp']]] },
  { type: 'video/webm', extensions: ['webm'], preview: 'video', signatures: [[[0, '\x1a\x45\xdf\xa3']]] },
  { type: 'audio/ogg', extensions: ['ogg', 'oga', 'opus'], preview: 'audio', signatures: [[[0, 'OggS']]] },
  { type: 'video/ogg', extensions: ['ogv'], preview: 'video' },
  { type: 'audio/flac', extensions: ['flac'], preview: 'audio', signatures: [[[0, 'fLaC']]] },
  { type: 'audio/mpeg', extensions: ['mp3'], preview: 'audio', signatures: [[[0, 'ID3']]] },
  { type: 'application/pdf', extensions: ['pdf'], preview: 'other', signatures: [[[0, '%PDF-']]] },
  { type: 'model/gltf-binary', extensions: ['glb'], preview: 'model', signatures: [[[0, 'glTF']]] },
  { type: 'model/gltf+json', extensions: ['gltf'], preview: 'text' },
  { type: 'model/stl', extensions: ['stl'], preview: 'other' },
  { type: 'application/wasm', extensions: ['wasm'], preview: 'other', signatures: [[[0, '\0asm']]] },
  { type: 'font/woff', extensions: ['woff'], preview: 'other', signatures: [[[0, 'wOFF']]], isServed: true },
  { type: 'font/woff2', extensions: ['woff2'], preview: 'other', signatures: [[[0, 'wOF2']]], isServed: true },
  { type: 'font/ttf', extensions: ['ttf'], preview: 'other' },
  { type: 'font/otf', extensions: ['otf'], preview: 'other' },
  {
    type: 'image/bmp',
    extensions: ['bmp'],
    preview: 'image',
    signatures: [
      [
        [0, 'BM'],
        [6, '\0\0\0\0'],
      ],
    ],
  },
  {
    type: 'image/tiff',
    pixels: 'not shown',
    extensions: ['tif', 'tiff'],
    preview: 'other',
    signatures: [[[0, 'II*\0']], [[0, 'MM\0*']]],
  },
  { type: 'image/x-icon', extensions: ['ico'], preview: 'image', isServed: true },
  { type: 'image/vnd.microsoft.icon', extensions: [], preview: 'image' },
  { type: 'image/svg+xml', extensions: ['svg'], preview: 'image', isServed: true },
  { type: 'text/html', extensions: ['html', 'htm'], isUtf8: true, preview: 'html', isServed: true },
  { type: 'application/xhtml+xml', extensions: [], preview: 'html' },
  { type: 'text/plain', extensions: ['txt'], isUtf8: true, preview: 'text', isServed: true },
  { type: 'text/markdown', extensions: ['md'], isUtf8: true, preview: 'text' },
  { type: 'text/csv', extensions: ['csv'], isUtf8: true, preview: 'text' },
  { type: 'text/css', extensions: ['css'], isUtf8: true, preview: 'text', isServed: true },
  { type: 'text/javascript', extensions: ['js', 'mjs'], isUtf8: true, preview: 'text', isServed: true },
  { type: 'application/javascript', extensions: [], preview: 'text' },
  { type: 'application/json', extensions: ['json'], preview: 'text', isServed: true },
  { type: 'application/xml', extensions: ['xml'], preview: 'text' },
  { type: 'application/yaml', extensions: [], preview: 'text' },
  { type: 'application/toml', extensions: [], preview: 'text' },
];

const byExtension = new Map(
  contentTypes.flatMap((row) => row.extensions.map((extension) => [extension, row] as const)),
);
const byType = new Map(contentTypes.map((row) => [row.type, row]));

/** The type of a file name's extension. @param fileName with or without folders; its case does not matter */
export function contentTypeOfName(fileName: string): ContentType | undefined {
  const dot = fileName.lastIndexOf('.');
  return dot < 1 ? undefined : byExtension.get(fileName.slice(dot + 1).toLowerCase());
}

/** A content type without its parameters, in lower case. */
export function essence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The entry of a MIME type, from any source. */
export function contentTypeOf(contentType: string): ContentType | undefined {
  return byType.get(essence(contentType));
}

/** How content of a MIME type, from any source, may be shown. */
export function previewKind(contentType: string): PreviewKind {
  const type = essence(contentType);
  const known = byType.get(type)?.preview;
  if (known !== undefined) return known;
  return type.startsWith('text/') || type.endsWith('+json') ? 'text' : 'other';
}
