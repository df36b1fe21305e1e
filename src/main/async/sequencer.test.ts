import { describe, expect, it } from 'vitest';
import { Sequencer } from './sequencer.ts';

const OFFSETS = Array.from({ length: 20 }, (_, offset) => offset);

async function microtasks(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await undefined;
}

describe('jobs that run one after the other', () => {
  it.each(OFFSETS)('never overlap, and keep their order, if the second comes after %i microtasks', async (offset) => {
    const sequencer = new Sequencer();
    const events: string[] = [];
    const job = (name: string) => async () => {
      events.push(`${name} begins`);
      await microtasks(5);
      events.push(`${name} ends`);
      return name;
    };
    const first = sequencer.run(job('first'));
    await microtasks(offset);
    const second = sequencer.run(job('second'));
    expect(await Promise.all([first, second])).toEqual(['first', 'second']);
    expect(events).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('give their error to who asked, and stop none behind them', async () => {
    const sequencer = new Sequencer();
    const failed = sequencer.run(() => Promise.reject(new Error('no room')));
    const thrown = sequencer.run(() => {
      throw new Error('at once');
    });
    const done = sequencer.run(() => 1);
    await expect(failed).rejects.toThrow('no room');
    await expect(thrown).rejects.toThrow('at once');
    expect(await done).toBe(1);
  });

  it('have all ended when it is idle, also after a failure', async () => {
    const sequencer = new Sequencer();
    await sequencer.idle();
    let ended = 0;
    void sequencer
      .run(async () => {
        await microtasks(5);
        ended += 1;
        throw new Error('no room');
      })
      .catch(() => undefined);
    await sequencer.idle();
    expect(ended).toBe(1);
  });
});
