import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { item } from '../../../test-support/samples.ts';
import { ItemGallery } from './gallery.tsx';

const items = Array.from({ length: 4_000 }, (_, n) => ({
  ...item,
  id: `i${n}`,
  metadata: { ...item.metadata, name: `Moon ${n}` },
}));
const none: ReadonlySet<string> = new Set();
const nothing = (): void => {};

/** Tells what observes an element how wide it is. */
let resize: (width: number) => Promise<void>;
const { ResizeObserver: before } = globalThis;
beforeEach(() => {
  const told = new Set<(width: number) => void>();
  globalThis.ResizeObserver = class {
    readonly #callback: ResizeObserverCallback;
    constructor(callback: ResizeObserverCallback) {
      this.#callback = callback;
    }
    observe(): void {
      told.add((inlineSize) => {
        const size = [{ inlineSize, blockSize: 400 }];
        const entry = { borderBoxSize: size, contentBoxSize: size, contentRect: new DOMRect() };
        this.#callback([entry as unknown as ResizeObserverEntry], this);
      });
    }
    unobserve(): void {}
    disconnect(): void {}
  };
  resize = (width) =>
    act(async () => {
      for (const tell of told) tell(width);
      await new Promise((drawn) => requestAnimationFrame(drawn));
    });
});
afterEach(() => {
  globalThis.ResizeObserver = before;
});

it('the gallery draws the rows in sight after its width has changed by less than a column', async () => {
  renderPart(
    <ItemGallery label="Moons" items={items} chosen={none} onChosen={nothing} onMove={nothing} onStep={nothing} />,
    { host: { files: { thumbnail: () => null } } },
  );
  await resize(730);
  const box = screen.getByRole('region', { name: 'Moons' });
  const rows = [...box.querySelectorAll<HTMLElement>('[style*="top"]')];
  const rowPx = Number.parseInt(rows[1]?.style.top ?? '', 10);
  act(() => {
    box.scrollTop = 600 * rowPx;
    box.dispatchEvent(new Event('scroll'));
  });
  expect(await screen.findByText('Moon 2400')).toBeTruthy();
});
