import { type CallUnderWay, type CallsUnderWay as Listed, OWN_CALLER } from '../../../contract/index.ts';
import type { Asker, Progress } from '../../async/asker.ts';
import type { Clock } from '../../ports/clock.ts';
import { maskSecrets } from '../metrics/mask-secrets.ts';

/** The oldest are listed. */
const LISTED = 50;
/** Characters of the parameters that are shown. */
const SHOWN_PARAMS = 500;

/** A call for which public services are asked. */
interface Call {
  readonly number: number;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly caller: string;
  readonly at: number;
  readonly progress: Progress;
}

/** The calls for which public services are asked now, with how far each has come. */
export class CallsUnderWay {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #calls = new Set<Call>();
  #last = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** To be ended with {@link end}. */
  begin(method: string, params: readonly unknown[], asker: Asker | undefined): Call {
    this.#last += 1;
    const progress: Progress = { sent: 0, waiting: new Set(), parts: undefined };
    const caller = asker?.title ?? OWN_CALLER;
    const call = { number: this.#last, method, params, caller, at: this.#clock.now(), progress };
    this.#calls.add(call);
    return call;
  }

  /** Goes on with a call whose answer is made while it is sent. */
  goOn(call: Call): void {
    this.#calls.add(call);
  }

  end(call: Call): void {
    this.#calls.delete(call);
  }

  list(): Listed {
    const now = this.#clock.now();
    const oldest = [...this.#calls].sort((a, b) => a.number - b.number).slice(0, LISTED);
    return { calls: oldest.map((call) => viewOf(call, now)), total: this.#calls.size };
  }
}

function viewOf({ number, method, params, caller, at, progress }: Call, now: number): CallUnderWay {
  const turns = [...progress.waiting].map((turn) => ({ before: turn.before(), milliseconds: Math.ceil(turn.inMs()) }));
  // it goes on when the last of them is answered
  const [last = null] = turns.sort((a, b) => b.milliseconds - a.milliseconds);
  const shown = maskSecrets(method, JSON.stringify(params.map(shortened)).slice(0, SHOWN_PARAMS), 'params');
  const { sent, parts = null } = progress;
  return { number, at, milliseconds: Math.max(0, now - at), caller, method, params: shown, sent, waiting: last, parts };
}

function shortened(param: unknown): unknown {
  return typeof param === 'string' ? param.slice(0, SHOWN_PARAMS) : param;
}
