import type { RawSettings } from './migrations.ts';

/** The value at `a.b`; undefined where there is none. */
export function readPath(source: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), source);
}

/** Sets the value at `a.b` and makes the objects on the way. */
export function assignPath(target: RawSettings, path: string, value: unknown): void {
  const [head, ...rest] = path.split('.') as [string, ...string[]];
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = isObject(target[head]) ? target[head] : {};
  target[head] = inner;
  assignPath(inner, rest.join('.'), value);
}

/** Removes the value at `a.b`, or what stands in its way. */
export function deletePath(target: RawSettings, path: string): void {
  const [head, ...rest] = path.split('.') as [string, ...string[]];
  if (rest.length === 0 || !isObject(target[head])) delete target[head];
  else deletePath(target[head], rest.join('.'));
}

export function isObject(value: unknown): value is RawSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
