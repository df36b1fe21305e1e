import type { IconList } from '@tabler/icons-react';
import { smallIcon } from '../../components/icon.ts';

/** A way to look at a list, in the control that changes it. */
export function ViewLabel({ icon: Icon, label }: { icon: typeof IconList; label: string }) {
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 6 }}>
      <Icon {...smallIcon} />
      {label}
    </span>
  );
}
