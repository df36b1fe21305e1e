/** How often a plan or an estimate with problems is asked for again. */
const LOOK_AGAIN_MS = 5_000;

interface WithProblems {
  readonly state: { readonly data: { readonly problems: readonly unknown[] } | undefined };
}

/** Polls while there are problems, such as a limit of calls: most of them pass without an event. */
export function whileProblems({ state: { data } }: WithProblems): number | false {
  return (data?.problems.length ?? 0) > 0 ? LOOK_AGAIN_MS : false;
}
