import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const module = new URL('./stray-errors.ts', import.meta.url).href;

/** Runs code in a process of its own under the watch, and tells how that process ended. */
function run(code: string): { status: number | null; out: string } {
  const script = `
    import { surviveAbandonedStreams } from ${JSON.stringify(module)};
    const stop = surviveAbandonedStreams({ warn: () => console.log('warned'), fatal: () => console.log('fatal') });
    ${code}
    setTimeout(() => { console.log('alive'); stop(); }, 50);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return { status, out: stdout };
}

const enqueueAfterClose = `
  new ReadableStream({ type: 'bytes', start(controller) {
    controller.close();
    setImmediate(() => controller.enqueue(new Uint8Array(1)));
  } });`;

describe('stray errors', () => {
  it('of a stream whose reader left do not end the process', () => {
    expect(run(enqueueAfterClose)).toEqual({ status: 0, out: 'warned\nalive\n' });
  });

  it('of any other kind end it as before', () => {
    const ended = run(`setImmediate(() => { throw new TypeError('a real fault'); });`);
    expect(ended.status).not.toBe(0);
    expect(ended.out).toBe('fatal\n');
  });
});
