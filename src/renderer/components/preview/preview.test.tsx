import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { Preview } from './preview.tsx';
import { frameDocument } from './preview-frame.ts';

const RealObserver = globalThis.IntersectionObserver;

beforeEach(() => {
  // Without layout nothing becomes visible on its own.
  globalThis.IntersectionObserver = class {
    readonly callback: (entries: unknown[]) => void;
    constructor(callback: (entries: unknown[]) => void) {
      this.callback = callback;
    }
    observe(target: Element): void {
      this.callback([{ isIntersecting: true, target }]);
    }
    unobserve(): void {}
    disconnect(): void {}
  } as unknown as typeof IntersectionObserver;
});
afterEach(() => {
  globalThis.IntersectionObserver = RealObserver;
});

function draw(contentType: string, content: string, full = true) {
  const reads: string[] = [];
  renderPart(
    <Preview full={full} file={{ sha256: 'ef'.repeat(32), name: 'moon', contentType, bytes: content.length }} />,
    {
      host: {
        files: {
          read: ({ sha256 }) => {
            reads.push(sha256);
            return new Blob([content], { type: 'text/html' });
          },
        },
      },
    },
  );
  return reads;
}

describe('the preview of a file', () => {
  it('shows a picture from its bytes with a known type, not the one the bytes claim', async () => {
    draw('image/png', 'png');
    const picture = await screen.findByRole<HTMLImageElement>('img', { name: 'Picture of moon' });
    expect(picture.src).toMatch(/^blob:/);
  });

  it('shows text as text, whatever it contains', async () => {
    draw('text/plain', '<b>bold</b>');
    expect(await screen.findByText('<b>bold</b>')).toBeTruthy();
    expect(document.querySelector('b')).toBeNull();
  });

  it('shows HTML in a frame without any permission', async () => {
    draw('text/html', '<p>Hello</p><script>alert(1)</script>');
    const frame = await screen.findByTitle<HTMLIFrameElement>(/without scripts or network$/);
    expect(frame.getAttribute('sandbox')).toBe('');
    expect(frame.getAttribute('srcdoc')).toContain("default-src 'none'");
    expect(frame.getAttribute('srcdoc')).not.toContain('alert(1)');
  });

  it('does not read a file that it cannot show, and names the type', () => {
    const reads = draw('application/pdf', 'pdf');
    expect(screen.getByText('application/pdf')).toBeTruthy();
    expect(reads).toEqual([]);
  });

  it.each(['video/webm', 'audio/mpeg'])('plays %s in the browser with a known type, on a click only', async (type) => {
    draw(type, 'bytes');
    const label = type === 'video/webm' ? 'Video: moon' : 'Sound: moon';
    const player = await screen.findByLabelText<HTMLMediaElement>(label);
    expect(player.src).toMatch(/^blob:/);
    expect([player.controls, player.autoplay, player.preload]).toEqual([true, false, 'metadata']);
    fireEvent.error(player);
    expect(await screen.findByText('It cannot be played or drawn here.')).toBeTruthy();
    expect(screen.getByText(type)).toBeTruthy();
  });

  it('draws a foreign model only on request', async () => {
    renderPart(
      <Preview
        full
        file={{
          ...{ sha256: 'ef'.repeat(32), name: 'moon', contentType: 'model/gltf-binary', bytes: 5 },
          inscribedIn: { txid: 'ab'.repeat(32), index: 0 },
        }}
      />,
      { host: { transactions: { content: () => new Blob(['none']) } } },
    );
    expect(screen.queryByLabelText(/^Model: moon/)).toBeNull();
    fireEvent.click(await screen.findByRole('button', { name: 'Show in 3D' }));
    // A file that is not a model is shown by its type.
    expect(await screen.findByText('It cannot be played or drawn here.')).toBeTruthy();
  });

  it('reads no HTML for a small preview', () => {
    const reads = draw('text/html', '<p>Hello</p>', false);
    expect(screen.getByText('text/html')).toBeTruthy();
    expect(reads).toEqual([]);
  });
});

describe('an HTML preview in the dark theme', () => {
  it('has the colours of the theme if the document sets none', () => {
    expect(frameDocument('<h1>Poem</h1><p>One line.</p>', 'dark')).toContain(':root{color-scheme:dark}');
    expect(frameDocument('<h1>Poem</h1>', 'light')).not.toContain('color-scheme');
  });

  it.each(['<p style="color:#222">x</p>', '<body bgcolor="white">x', '<style>p{color:red}</style>', '<svg></svg>'])(
    'is not recoloured if the document sets colours: %s',
    (html) => {
      expect(frameDocument(html, 'dark')).not.toContain('color-scheme');
    },
  );
});
