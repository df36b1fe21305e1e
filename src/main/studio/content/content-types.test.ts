import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectContentType, normaliseContentType, SNIFF_BYTES } from './content-types.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('detectContentType', () => {
  it.each([
    ['a.png', '\x89PNG\r\n\x1a\n', 'image/png'],
    ['a', '\x89PNG\r\n\x1a\n', 'image/png'],
    ['a.apng', '\x89PNG\r\n\x1a\n', 'image/apng'],
    ['wrong.png', '\xff\xd8\xff\xe0', 'image/jpeg'],
    ['a.gif', 'GIF89a', 'image/gif'],
    ['a.webp', 'RIFF....WEBP', 'image/webp'],
    ['a.wav', 'RIFF....WAVE', 'audio/wav'],
    ['a.avif', '\0\0\0\x20ftypavif', 'image/avif'],
    ['a.mp4', '\0\0\0\x20ftypisom', 'video/mp4'],
    ['a.m4a', '\0\0\0\x20ftypisom', 'audio/mp4'],
    ['a.webm', '\x1a\x45\xdf\xa3', 'video/webm'],
    ['a.ogg', 'OggS', 'audio/ogg'],
    ['a.mp3', 'ID3', 'audio/mpeg'],
    ['a.mp3', '\xff\xfb\x90', 'audio/mpeg'],
    ['a.pdf', '%PDF-1.7', 'application/pdf'],
    ['a.glb', 'glTF', 'model/gltf-binary'],
    ['a.svg', '<svg', 'image/svg+xml'],
    ['A.HTML', '<!doctype html>', 'text/html;charset=utf-8'],
    ['a.txt', 'hello', 'text/plain;charset=utf-8'],
    ['a.md', '# hello', 'text/markdown;charset=utf-8'],
    ['a.json', '{}', 'application/json'],
    ['a.css', 'a{}', 'text/css;charset=utf-8'],
    ['a.js', '1', 'text/javascript;charset=utf-8'],
  ])('reads %s that begins with %j as %s', (name, head, type) => {
    expect(detectContentType(name, bytes(head))).toBe(type);
  });

  it('names no type that the bytes do not show', () => {
    expect(detectContentType('a.xyz', bytes('hello'))).toBeUndefined();
    expect(detectContentType('README', bytes('hello'))).toBeUndefined();
    expect(detectContentType('', new Uint8Array(0))).toBeUndefined();
  });

  it('gives only proper MIME types, whatever the file', () => {
    const property = fc.property(fc.string(), fc.uint8Array({ maxLength: SNIFF_BYTES }), (name, head) => {
      const type = detectContentType(name, head);
      if (type !== undefined) expect(normaliseContentType(type)).toBe(type);
    });
    fc.assert(property);
  });
});

describe('normaliseContentType', () => {
  it.each([
    [' Text/HTML ; Charset=utf8 ', 'text/html;charset=utf8'],
    ['image/svg+xml', 'image/svg+xml'],
    ['text/plain;a="x;y";b=2', 'text/plain;a="x;y";b=2'],
  ])('reads %j as %j', (text, type) => {
    expect(normaliseContentType(text)).toBe(type);
  });

  it.each([
    '',
    'png',
    'image/',
    '/png',
    'image/png;',
    'image/png;charset',
    'im age/png',
    'image/png\r\nX: y',
    "'text/plain",
    'a/é',
  ])('refuses %j', (text) => {
    const type = normaliseContentType(text);
    // An apostrophe is a character of a token by the RFC.
    expect(type).toBe(text === "'text/plain" ? text : undefined);
  });

  it('changes nothing when it is applied a second time', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9!#$&^_.+-]{1,12}$/);
    const property = fc.property(
      word,
      word,
      fc.array(fc.tuple(word, word), { maxLength: 3 }),
      (type, subType, parameters) => {
        const text = `${type}/${subType}${parameters.map(([name, value]) => `; ${name}=${value}`).join('')}`;
        const once = normaliseContentType(text);
        expect(once).toBeDefined();
        expect(normaliseContentType(once as string)).toBe(once);
      },
    );
    fc.assert(property);
  });
});
