import type { IconList } from '@tabler/icons-react';
import { smallIcon } from '../../components/icon.ts';

/** Icon and name of one display mode of a list. */
export function ViewLabel({ icon: Icon, label }: { icon: typeof IconList; label: string }) {
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 6 }}>
      <Icon {...smallIcon} />
      {label}
    </span>
  );
}
