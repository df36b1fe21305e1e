let held: { place: string; files: readonly File[] } | undefined;

/** Keeps files that were dropped in one view until the view they belong to opens. @param place what names that view, such as a project's id */
export function handOver(place: string, files: readonly File[]): void {
  held = { place, files };
}

/** The files that were dropped for a view, once. */
export function takeOver(place: string): readonly File[] {
  if (held?.place !== place) return [];
  const { files } = held;
  held = undefined;
  return files;
}
