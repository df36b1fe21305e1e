import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Entry, InFlightMap } from './in-flight-map.ts';

class Named implements Entry<Named> {
  readonly name: string;
  nextInBucket: Named | undefined;

  constructor(name: string) {
    this.name = name;
  }
}

it('finds the entry added last and not removed, however many names share a bucket', () => {
  // only the end of a long name selects the bucket, so the first two share one
  const names = ['a', 'b'].map((first) => first + 'x'.repeat(100));
  const step = fc.tuple(fc.constantFrom('put', 'take'), fc.oneof(fc.constantFrom(...names), fc.string()), fc.nat());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new InFlightMap<Named>();
      let model: Named[] = [];
      const known = new Set<string>(names);
      for (const [what, name, which] of steps) {
        known.add(name);
        if (what === 'put') {
          const entry = new Named(name);
          map.put(entry);
          model.unshift(entry);
        } else {
          const entry = model[which % Math.max(1, model.length)] ?? new Named(name);
          map.take(entry);
          model = model.filter((one) => one !== entry);
        }
      }
      for (const name of known) expect(map.get(name)).toBe(model.find((entry) => entry.name === name));
    }),
  );
});
