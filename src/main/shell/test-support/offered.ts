import type { EventEmitter } from 'node:events';

/**
 * What a double may offer of a thing: a part of its members, each of the kind that Electron declares, a function with the same answer.
 * Parameters are compared where the shell calls the real ones, and events not at all, as Node's emitter carries them.
 */
export type Offered<T> = T extends abstract new (
  ...given: never[]
) => infer I
  ? Members<T> | (abstract new (...given: never[]) => Members<I>)
  : T extends (...given: never[]) => infer R
    ? (...given: never[]) => Offered<R>
    : T extends Promise<infer V>
      ? Promise<Offered<V>>
      : T extends readonly (infer E)[]
        ? Offered<E>[]
        : T extends object
          ? Members<T>
          : T;
type Members<T> = { [K in Exclude<keyof T, keyof EventEmitter>]?: Offered<T[K]> };
