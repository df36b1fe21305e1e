/** Waits until `done` holds. @throws after `limitMs`, with what was last seen */
export async function until<T>(look: () => T, done: (value: T) => boolean, limitMs = 45_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = look();
    if (done(value)) return value;
    if (Date.now() > end) throw new Error(`waited in vain; last seen: ${JSON.stringify(value)?.slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
