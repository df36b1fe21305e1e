import { PlanchetError, type Settings } from '../../contract/index.ts';
import type { ApprovalQueue } from '../approvals/approval-queue.ts';
import { dayOf } from '../approvals/permissions.ts';
import type { Clock } from '../ports/clock.ts';
import type { SettingsView } from '../ports/settings.ts';

interface WriterBudgetOptions {
  settings: SettingsView;
  approvals: Pick<ApprovalQueue, 'ask' | 'grantedToday'>;
  clock: Clock;
}

/**
 * The writer's settings, whose cap of a day is raised by what the person grants. Once the cap is used up, the person is asked for as much
 * again; documents wait meanwhile. Whoever denies it is not asked again on that day (UTC).
 */
export class WriterBudget implements SettingsView {
  readonly #options: WriterBudgetOptions;
  readonly #listeners = new Set<Parameters<SettingsView['onChange']>[0]>();
  #asking = false;
  #deniedOn: number | undefined;

  constructor(options: WriterBudgetOptions) {
    this.#options = options;
  }

  current(): Settings {
    return this.#raised(this.#options.settings.current());
  }

  onChange(listener: Parameters<SettingsView['onChange']>[0]): () => void {
    this.#listeners.add(listener);
    const stop = this.#options.settings.onChange((current, changed) => listener(this.#raised(current), changed));
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  /** Asks for as much again, unless that is being asked or was denied today. A cap of 0 is a decision and not asked about. */
  async capReached(): Promise<void> {
    const { settings, approvals, clock } = this.#options;
    const { writerDailySpend: amount } = settings.current();
    if (this.#asking || amount === 0 || this.#deniedOn === dayOf(clock.now())) return;
    this.#asking = true;
    // Another cap makes the question void.
    const withdrawn = new AbortController();
    const stop = settings.onChange((_, changed) => {
      if (changed.includes('writerDailySpend')) withdrawn.abort();
    });
    try {
      await approvals.ask({
        kind: 'budget',
        program: { id: 'writer', name: 'Data writer' },
        method: 'writerDailySpend',
        amount,
        cap: this.current().writerDailySpend,
        transactions: [],
        transactionCount: 0,
        signal: withdrawn.signal,
      });
      for (const listener of this.#listeners) listener(this.current(), ['writerDailySpend']);
    } catch (error) {
      if (!(error instanceof PlanchetError)) throw error;
      if (error.id === 'approvals.denied') this.#deniedOn = dayOf(clock.now());
    } finally {
      stop();
      this.#asking = false;
    }
  }

  #raised(settings: Settings): Settings {
    const granted = this.#options.approvals.grantedToday();
    return granted === 0 ? settings : { ...settings, writerDailySpend: settings.writerDailySpend + granted };
  }
}
