import { Button, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../../../components/icon.ts';
import { useListState } from '../../../components/list/list-state.ts';
import layout from '../../../components/styles/layout.module.css';

/** Moves through a list with cursors: forward with the cursor of the page, back with those already used. */
export function useCursors(list: string) {
  const [passed, setPassed] = useListState<readonly string[]>(`${list} pages`, []);
  return {
    /** Of the page on show; undefined for the first. */
    cursor: passed.at(-1),
    page: passed.length + 1,
    forward: (next: string): void => setPassed([...passed, next]),
    back: (): void => setPassed(passed.slice(0, -1)),
    reset: (): void => setPassed([]),
  };
}

export function Pager({ cursors, next }: { cursors: ReturnType<typeof useCursors>; next: string | null }) {
  const { t } = useTranslation();
  if (cursors.page === 1 && next === null) return null;
  return (
    <Group justify="flex-end" gap="xs" mt="sm">
      <span className={layout.dim} role="status">
        {t('writer.list.page', { n: cursors.page })}
      </span>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconChevronLeft {...smallIcon} />}
        disabled={cursors.page === 1}
        onClick={cursors.back}
      >
        {t('writer.list.previous')}
      </Button>
      <Button
        size="xs"
        variant="default"
        rightSection={<IconChevronRight {...smallIcon} />}
        disabled={next === null}
        onClick={() => next !== null && cursors.forward(next)}
      >
        {t('writer.list.next')}
      </Button>
    </Group>
  );
}
