interface Running {
  isPaused: boolean;
  isLast: boolean;
  readonly ended: Promise<void>;
}

/** The payments of several transactions that are being signed, each one after the other, until it is paused. */
export class SeriesSigning {
  readonly #running = new Map<string, Running>();

  /**
   * Signs one after the other, and none after it was paused. Asked again meanwhile, it waits for the first; where that is pausing, it goes on
   * once it stands still.
   * @throws whatever `sign` does: what is left is not signed then
   */
  async run<Row>(id: string, rows: readonly Row[], sign: (row: Row) => Promise<unknown>): Promise<void> {
    if (this.#running.get(id)?.isPaused === true) await this.pause(id);
    const other = this.#running.get(id);
    if (other !== undefined) return other.ended;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const running: Running = { isPaused: false, isLast: false, ended };
    this.#running.set(id, running);
    try {
      for (const [index, row] of rows.entries()) {
        if (running.isPaused) return;
        running.isLast = index === rows.length - 1;
        await sign(row);
      }
    } finally {
      this.#running.delete(id);
      end();
    }
  }

  /** Resolves once nothing of it is being signed. */
  async pause(id: string): Promise<void> {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.isPaused = true;
    await running.ended;
  }

  async pauseAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((id) => this.pause(id)));
  }

  /** A payment as it stands while it is signed: approved already, it waits for nobody. */
  shown<T extends object>(id: string, payment: T) {
    const running = this.#running.get(id);
    if (running === undefined) return payment;
    const canPause = !running.isPaused && !running.isLast;
    return { ...payment, awaitingApproval: false, canApprove: false, active: true, canPause };
  }
}
