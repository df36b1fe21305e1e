import type { Assertion } from 'vitest';

/**
 * `expect()` as the tests use it: no matcher checks the type of the expected value. It is declared before the library's own overload, which creates all its
 * matchers again for each of four thousand types.
 */
declare module 'vitest' {
  interface ExpectStatic {
    // biome-ignore lint/style/useShorthandFunctionType: it is merged with the library's interface.
    // biome-ignore lint/suspicious/noExplicitAny: the callbacks of matchers take any value.
    (actual: unknown, message?: string): Assertion<void, any>;
  }
}
