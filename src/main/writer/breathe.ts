/** Lets requests that came meanwhile be answered before the work goes on: whatever takes long is done in pieces, with this between them. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
