let survives = false;

/** A write beyond the limit of file sizes (`ulimit -f`) fails from now on, as one on a full disk does, in place of ending the process. */
export function surviveFileLimit(): void {
  if (survives) return;
  survives = true;
  process.on('SIGXFSZ', () => undefined);
}
