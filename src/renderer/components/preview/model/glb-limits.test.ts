import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { glbOf, TRIANGLE, triangle } from '../../../test-support/glb.ts';
import { modelFault } from './glb-limits.ts';

const withParts = (parts: object) => modelFault(glbOf({ ...TRIANGLE, ...parts }));
const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('the check of a model before it is drawn', () => {
  it('accepts a complete model of moderate size', () => {
    expect(modelFault(triangle())).toBeUndefined();
    expect(withParts({ images: [{ uri: 'data:image/png;base64,AAAA' }, { bufferView: 0 }] })).toBeUndefined();
    expect(withParts({ nodes: [{ children: [1, 2] }, {}, { mesh: 0 }] })).toBeUndefined();
  });

  it('refuses bytes that are not a model', () => {
    const bytes = triangle();
    expect(modelFault(bytes.subarray(0, 19) as typeof bytes)).toBe('malformed');
    for (const [at, value] of [
      [0, 0x46546c66],
      [4, 1],
      [12, 1_000_000],
      [16, 0x004e4942],
    ] as const) {
      const other = triangle();
      new DataView(other.buffer).setUint32(at, value, true);
      expect(modelFault(other)).toBe('malformed');
    }
    expect(withParts({ nodes: 'none' })).toBe('malformed');
    expect(modelFault(glbOf([null]))).toBeUndefined();
  });

  it('refuses a model that needs other files', () => {
    expect(withParts({ buffers: [{ uri: 'https://example.com/numbers.bin' }] })).toBe('incomplete');
    expect(withParts({ images: [{ uri: 'https://example.com/pixel.png' }] })).toBe('incomplete');
    expect(withParts({ images: [{ uri: 'data:text/html,x' }] })).toBe('incomplete');
  });

  it('refuses few bytes that stand for very many nodes or numbers', () => {
    const tower = Array.from({ length: 30 }, (_, index) => ({ children: [index + 1, index + 1] }));
    expect(withParts({ nodes: [...tower, { mesh: 0 }] })).toBe('malformed');
    expect(withParts({ nodes: [{ children: [2] }, { children: [2] }, {}] })).toBe('malformed');
    const accessor = (count: unknown, type: string) => withParts({ accessors: [{ count, type }] });
    expect(accessor(8_000_000, 'VEC3')).toBeUndefined();
    expect(accessor(8_000_001, 'VEC3')).toBe('too-large');
    expect(accessor(1_500_001, 'unknown')).toBe('too-large');
    expect(accessor('many', 'VEC3')).toBe('too-large');
    expect(withParts({ nodes: many(20_001, {}) })).toBe('too-large');
    expect(withParts({ meshes: [{ primitives: many(20_001, {}) }] })).toBe('too-large');
    expect(withParts({ images: many(101, { bufferView: 0 }) })).toBe('too-large');
    expect(withParts({ extras: 'x'.repeat(4_194_304) })).toBe('too-large');
  });

  it('returns a result for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(199), (noise, at) => {
        const bytes = triangle();
        bytes.set(noise, Math.min(at, bytes.length - noise.length));
        expect([undefined, 'malformed', 'incomplete', 'too-large']).toContain(modelFault(bytes));
      }),
    );
  });
});
