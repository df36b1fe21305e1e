import type { ReactNode } from 'react';

/** A name with its value in a description list. @param num for figures, which then have equal widths */
export function Fact({ name, num = false, children }: { name: ReactNode; num?: boolean; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={num ? 'num' : undefined}>{children}</dd>
    </div>
  );
}
