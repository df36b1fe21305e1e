import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { item, runPlan } from '../../test-support/samples.ts';
import { adviceFor, copyName } from './advice.ts';
import { CostAdvice } from './cost-advice.tsx';
import { isAnimated, mayShrink } from './smaller-copy.ts';

const rate = { satoshis: 100, bytes: 1_000 };
const photo = (id: string, bytes: number): Item => ({
  ...item,
  id,
  file: { ...item.file, sha256: id.padStart(64, '0'), contentType: 'image/jpeg', bytes },
});
const bytes = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

describe('the advice on large photos', () => {
  it('states their share of the fee, and the saving at the rate of the plan', () => {
    const items = [photo('1', 2_000_000), photo('2', 1_000_000), photo('3', 200_000)];
    const advice = adviceFor(items, { size: 3_300_000, rate }, new Set());
    expect(advice).toMatchObject({ bytes: 3_000_000, size: 3_300_000, saves: 240_000 });
    expect(advice?.photos.map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('is not shown if copies would save little, exist already or cannot be made', () => {
    const big = photo('1', 2_000_000);
    expect(adviceFor([big], { size: 100_000_000, rate }, new Set())).toBeUndefined();
    expect(adviceFor([{ ...big, original: big.file }], { size: 2_000_000, rate }, new Set())).toBeUndefined();
    expect(adviceFor([big], { size: 2_000_000, rate }, new Set([big.file.sha256]))).toBeUndefined();
    expect(adviceFor([], { size: 0, rate }, new Set())).toBeUndefined();
  });

  it('considers pictures only', () => {
    expect(mayShrink({ contentType: 'image/png', bytes: 400_000 })).toBe(true);
    expect(mayShrink({ contentType: 'image/gif', bytes: 400_000 })).toBe(false);
    expect(mayShrink({ contentType: 'image/jpeg', bytes: 310_000 })).toBe(false);
  });
});

it('animated pictures are distinguished from still ones', () => {
  expect(isAnimated(bytes('RIFF....WEBPVP8X\n\0\0\0\u0012'))).toBe(true);
  expect(isAnimated(bytes('RIFF....WEBPVP8X\n\0\0\0\u0010'))).toBe(false);
  expect(isAnimated(bytes('\u0089PNG\r\n....IHDR....acTL....IDAT'))).toBe(true);
  expect(isAnimated(bytes('\u0089PNG\r\n....IHDR....IDAT..acTL'))).toBe(false);
});

it('a smaller copy has the file extension of its type', () => {
  expect([copyName('moon.v2.png', 'image/webp'), copyName('moon', 'image/jpeg')]).toEqual(['moon.v2.webp', 'moon.jpg']);
});

it('one click restores the originals of all smaller copies', async () => {
  const asked: unknown[] = [];
  const copy = { ...photo('1', 200_000), original: photo('1', 2_000_000).file };
  const putOriginals = (input: unknown) => {
    asked.push(input);
    return [];
  };
  const user = renderPart(<CostAdvice plan={{ ...runPlan, rate }} items={[copy, photo('2', 1_000)]} />, {
    host: { items: { putOriginals } },
  });
  expect(screen.getByText('1 smaller copy saves about 180,000 sat')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Put the originals back' }));
  await expect.poll(() => asked).toEqual([{ ids: ['1'] }]);
});
