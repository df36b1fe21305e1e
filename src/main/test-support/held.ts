import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What work took of the thread and the memory that everything else shares with it. */
export interface Held {
  /** Milliseconds of processor time of the longest turn of the event loop. Other programs do not lengthen it. */
  readonly milliseconds: number;
  /** Bytes of the heap and of buffers above those before, at most. What could be collected at the end of a turn is not counted. */
  readonly bytes: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Growth after which it is found out how much of it is garbage. */
const WORTH_A_LOOK = 16_777_216;

/**
 * Measures work on this thread.
 * @param runs how often the work may be done until it stays below `enough`: the collection of garbage that others left lengthens a turn
 */
export async function heldBy(work: () => Promise<unknown>, enough?: Held, runs = 3): Promise<Held> {
  let best: Held = { milliseconds: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
  for (let run = 0; run < runs; run++) {
    const held = await heldOnce(work);
    best = {
      milliseconds: Math.min(best.milliseconds, held.milliseconds),
      bytes: Math.min(best.bytes, held.bytes),
    };
    if (enough === undefined || (best.milliseconds <= enough.milliseconds && best.bytes <= enough.bytes)) break;
  }
  return best;
}

/** What is held while no work is measured; undefined until the first. */
let usual: number | undefined;

/** Collecting takes longer than most work, so it is done again only where much has gathered since. */
function usualNow(): number {
  if (usual === undefined || taken() - usual > WORTH_A_LOOK) {
    collect();
    usual = taken();
  }
  // what was held then may be gone, and would hide as much of what is measured
  usual = Math.min(usual, taken());
  return usual;
}

async function heldOnce(work: () => Promise<unknown>): Promise<Held> {
  const before = usualNow();
  let milliseconds = 0;
  let bytes = 0;
  let looked = WORTH_A_LOOK;
  let going = true;
  const done = work().finally(() => {
    going = false;
  });
  let last = process.threadCpuUsage();
  while (going) {
    // Each turn that lasts a millisecond is looked at by itself. A look at every turn would keep the processor busy while nothing is done.
    await setTimeout(1);
    const { user, system } = process.threadCpuUsage(last);
    milliseconds = Math.max(milliseconds, (user + system) / 1_000);
    const grown = taken() - before;
    if (grown > looked) {
      looked = grown + WORTH_A_LOOK;
      collect();
      bytes = Math.max(bytes, taken() - before);
    }
    last = process.threadCpuUsage();
  }
  await done;
  return { milliseconds, bytes };
}

function taken(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
