import { Button } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { smallIcon } from './icon.ts';

/** A button that unfolds and folds what it names. */
export function FoldButton({ open, label, onClick }: { open: boolean; label: string; onClick: () => void }) {
  const Chevron = open ? IconChevronUp : IconChevronDown;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-expanded={open}
      rightSection={<Chevron {...smallIcon} />}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}
