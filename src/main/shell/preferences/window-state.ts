import type { Display, Rectangle } from 'electron';

export const minimumSize = { width: 900, height: 600 } as const;
const defaultSize = { width: 1280, height: 800 } as const;
/** Part of the window's upper edge that must be on a screen, so that it can be dragged with the mouse. */
const GRIP = { width: 120, height: 32 } as const;

/**
 * Where the window opens, in device-independent pixels of all screens together: where it was, or on the first screen if a screen was unplugged or has become smaller.
 * @param displays every screen, the main one first
 */
export function placeWindow(bounds: Rectangle | null, displays: readonly Display[]): Partial<Rectangle> {
  const areas = displays.map(({ workArea }) => workArea);
  for (const area of bounds === null ? [] : areas) {
    // A window that is made smaller may thereby leave the screen.
    const placed = { ...(bounds as Rectangle), ...fitSize(bounds as Rectangle, area) };
    if (holdsGrip(placed, area)) return placed;
  }
  const [main] = areas;
  // Without a position the operating system puts the window in the middle of the main screen.
  if (main === undefined) return defaultSize;
  const size = fitSize(bounds ?? defaultSize, main);
  return {
    ...size,
    // A screen smaller than the least size shows the upper left corner.
    x: main.x + Math.max(0, Math.round((main.width - size.width) / 2)),
    y: main.y + Math.max(0, Math.round((main.height - size.height) / 2)),
  };
}

function fitSize(size: { width: number; height: number }, area: Rectangle): { width: number; height: number } {
  const clamp = (wanted: number, least: number, room: number): number => Math.max(least, Math.min(wanted, room));
  return {
    width: clamp(size.width, minimumSize.width, area.width),
    height: clamp(size.height, minimumSize.height, area.height),
  };
}

function holdsGrip({ x, y, width }: Rectangle, area: Rectangle): boolean {
  const visible = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return visible >= GRIP.width && y >= area.y && y + GRIP.height <= area.y + area.height;
}
