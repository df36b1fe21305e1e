import type { Page } from '@playwright/test';

interface Watched extends Window {
  inputs: number[];
}

/** Records in every new document how long it took from each input to the next paint. */
export async function watchInputs(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const inputs: number[] = [];
    (window as unknown as Watched).inputs = inputs;
    const timing = { type: 'event', buffered: true, durationThreshold: 16 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) inputs.push(duration);
    }).observe(timing);
  });
}

/** The delays since the last call, in milliseconds. Those under 16 are not reported. */
export function inputDelays(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    return (window as unknown as Watched).inputs.splice(0);
  });
}
