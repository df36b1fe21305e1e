/** The same object with some parts replaced; for clients, whose parts cannot be copied. */
export function replacing<T extends object>(whole: T, parts: Partial<T>): T {
  return new Proxy(whole, { get: (target, key) => Reflect.get(key in parts ? parts : target, key) as unknown });
}
