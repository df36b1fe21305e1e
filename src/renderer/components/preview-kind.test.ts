import { describe, expect, it } from 'vitest';
import { previewKind } from './preview-kind.ts';

describe('how untrusted content may be shown', () => {
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
    ['video/mp4', 'other'],
    ['', 'other'],
  ])('%s is shown as %s', (contentType, kind) => {
    expect(previewKind(contentType)).toBe(kind);
  });
});
