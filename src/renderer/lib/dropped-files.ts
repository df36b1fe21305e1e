let held: { place: string; files: readonly File[] } | undefined;

/** Keeps files that were dropped in one view until their own view opens. @param place key of that view, such as a project's id */
export function handOver(place: string, files: readonly File[]): void {
  held = { place, files };
}

/** Returns the files that were dropped for a view and removes them. */
export function takeOver(place: string): readonly File[] {
  if (held?.place !== place) return [];
  const { files } = held;
  held = undefined;
  return files;
}
