import type { Locator, Page } from '@playwright/test';

interface Watched extends Window {
  watched: { tasks: number[]; inputs: number[]; frames: number[]; scrolls: number; usable: number | undefined };
}

/** Notes in every document that opens: tasks over 50 ms, how long inputs took to be painted, and when the view had its content. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watched: Watched['watched'] = { tasks: [], inputs: [], frames: [], scrolls: 0, usable: undefined };
    (window as unknown as Watched).watched = watched;
    document.addEventListener('scroll', () => watched.scrolls++, { capture: true, passive: true });
    const note = (into: number[]) => (list: PerformanceObserverEntryList) => {
      for (const { duration } of list.getEntries()) into.push(duration);
    };
    new PerformanceObserver(note(watched.tasks)).observe({ type: 'longtask', buffered: true });
    const timing = { type: 'event', buffered: true, durationThreshold: 16 };
    new PerformanceObserver(note(watched.inputs)).observe(timing);
    const look = (): void => {
      const main = document.querySelector('main');
      if (main?.querySelector('h1') == null || main.querySelector('.mantine-Skeleton-root') !== null)
        requestAnimationFrame(look);
      else watched.usable = performance.now();
    };
    requestAnimationFrame(look);
  });
}

/** Waits until what was done is painted and told. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

export interface Start {
  /** Milliseconds from the navigation. */
  readonly firstPaint: number;
  readonly usable: number;
  /** Milliseconds of the longest task over 50 ms, 0 where there was none. */
  readonly longestTask: number;
  /** Bytes of script on the wire: what the page names itself, and all until the first view is there. */
  readonly firstScript: number;
  readonly allScript: number;
}

/** What the open document noted of its start. */
export async function startOf(page: Page): Promise<Start> {
  await page.waitForFunction(() => (window as unknown as Watched).watched.usable !== undefined);
  await settle(page);
  return page.evaluate(async () => {
    const { tasks, usable } = (window as unknown as Watched).watched;
    const scripts = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(({ name }) =>
      name.endsWith('.js'),
    );
    // As the server sends it: the page adds those of its views later.
    const sent = new DOMParser().parseFromString(await (await fetch('/')).text(), 'text/html');
    const named = [...sent.querySelectorAll('script[src], link[rel=modulepreload]')].map(
      (element) => new URL(element.getAttribute('src') ?? element.getAttribute('href') ?? '', location.href).href,
    );
    const bytes = (some: readonly PerformanceResourceTiming[]): number =>
      some.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    return {
      firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      usable: usable as number,
      longestTask: Math.max(0, ...tasks),
      firstScript: bytes(scripts.filter(({ name }) => named.includes(name))),
      allScript: bytes(scripts),
    };
  });
}

/** The longest that any input of an action took until the page showed it, in milliseconds: 16 where none took longer. */
export async function inputDelay(page: Page, act: () => Promise<unknown>): Promise<number> {
  await settle(page);
  await page.evaluate(() => {
    (window as unknown as Watched).watched.inputs.length = 0;
  });
  await act();
  await settle(page);
  return page.evaluate(() => Math.max(16, ...(window as unknown as Watched).watched.inputs));
}

/** Turns of the wheel in a measurement, and how far each scrolls, in pixels. */
const TURNS = 200;
const TURN_PX = 240;
/** A frame at 60 a second, with room for the clock of the page: it counts tenths of a millisecond. */
const FRAME_MS = 1_000 / 60 + 0.2;

export interface Frames {
  /** Milliseconds that 95 of 100 frames took at most. */
  readonly p95: number;
  /** Per cent of the frames that took longer than a sixtieth of a second. */
  readonly late: number;
}

/** How frames followed each other while a list was scrolled with the wheel. Throws where the wheel moved nothing. */
export async function scrollFrames(page: Page, list: Locator): Promise<Frames> {
  await list.hover();
  await settle(page);
  await page.evaluate(() => {
    const { watched } = window as unknown as Watched;
    const frames: number[] = [];
    watched.frames = frames;
    watched.scrolls = 0;
    let last: number | undefined;
    const note = (now: number): void => {
      if (watched.frames !== frames) return;
      if (last !== undefined) frames.push(now - last);
      last = now;
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  for (let turn = 0; turn < TURNS; turn++) await page.mouse.wheel(0, TURN_PX);
  const { frames, scrolls } = await page.evaluate(() => {
    const { watched } = window as unknown as Watched;
    const { frames, scrolls } = watched;
    watched.frames = [];
    return { frames: frames.sort((a, b) => a - b), scrolls };
  });
  if (scrolls < TURNS / 2) throw new Error(`The list moved ${scrolls} times in ${TURNS} turns of the wheel.`);
  return {
    p95: frames[Math.floor(frames.length * 0.95)] as number,
    late: (frames.filter((ms) => ms > FRAME_MS).length / frames.length) * 100,
  };
}
