import { describe, expect, it } from 'vitest';
import { visibleBody } from './body-text.ts';

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString('base64');

describe('visibleBody', () => {
  it('shows text as it was written, markup included', () => {
    const text = '{"a":"<img src=x onerror=alert(1)> ü"}\n';
    expect(visibleBody(base64(text), true)).toEqual({ kind: 'text', text, bytes: Buffer.byteLength(text) });
  });

  it('shows what is not UTF-8, or not text, in hex', () => {
    expect(visibleBody(base64(Uint8Array.of(0xff, 0x00, 0x10)), true)).toEqual({
      kind: 'hex',
      text: 'ff0010',
      bytes: 3,
    });
    expect(visibleBody(base64(Uint8Array.of(0x61, 0x00)), true).kind).toBe('hex');
  });

  it('forgives a character that was cut in two, only where the body goes on', () => {
    const cut = Buffer.from('aü').subarray(0, 2);
    expect(visibleBody(base64(cut), false)).toMatchObject({ kind: 'text', text: 'a' });
    expect(visibleBody(base64(cut), true).kind).toBe('hex');
  });
});
