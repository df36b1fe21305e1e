/** Waits until the check gives something, at most so long: a bound for what hangs, not for what takes long on a machine under load. */
export async function until<T>(check: () => Promise<T | undefined | false>, limitMs = 120_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (performance.now() > end) throw new Error('waited too long');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
