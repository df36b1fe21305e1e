export type PreviewKind = 'image' | 'text' | 'html' | 'other';

/** Picture types a browser decodes in an <img>, where a document inside (SVG) can neither run scripts nor load anything. */
const imageTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/svg+xml',
  'image/x-icon',
  'image/vnd.microsoft.icon',
]);

const textTypes = new Set([
  'application/json',
  'application/xml',
  'application/javascript',
  'application/yaml',
  'application/toml',
]);

/** A content type without its parameters, in lower case. */
export function essence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** How content of a type may be shown; what is not known to be harmless is not shown. */
export function previewKind(contentType: string): PreviewKind {
  const type = essence(contentType);
  if (imageTypes.has(type)) return 'image';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type.startsWith('text/') || textTypes.has(type) || type.endsWith('+json')) return 'text';
  return 'other';
}
