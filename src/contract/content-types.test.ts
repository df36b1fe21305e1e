import { describe, expect, it } from 'vitest';
import { contentTypeOfName, contentTypes, previewKind } from './content-types.ts';

describe('the preview of untrusted content', () => {
  it.each([
    ['image/png', 'image'],
    ['IMAGE/SVG+XML; charset=utf-8', 'image'],
    ['text/plain;charset=utf-8', 'text'],
    ['application/json', 'text'],
    ['model/gltf+json', 'text'],
    ['text/html', 'html'],
    ['application/xhtml+xml', 'html'],
    ['image/tiff', 'other'],
    ['application/pdf', 'other'],
    ['video/mp4', 'video'],
    ['audio/mpeg', 'audio'],
    ['model/gltf-binary', 'model'],
    ['', 'other'],
  ])('renders %s as %s', (contentType, kind) => {
    expect(previewKind(contentType)).toBe(kind);
  });
});

describe('the table of content types', () => {
  it('lists each type and each file extension once', () => {
    const types = contentTypes.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
    const extensions = contentTypes.flatMap((row) => row.extensions);
    expect(new Set(extensions).size).toBe(extensions.length);
  });

  it('finds a type by the file extension only', () => {
    expect(contentTypeOfName('folder.d/Picture.PNG')?.type).toBe('image/png');
    for (const name of ['', 'png', '.png', 'a.', 'a.xyz', 'a.png/b']) expect(contentTypeOfName(name)).toBeUndefined();
  });
});
