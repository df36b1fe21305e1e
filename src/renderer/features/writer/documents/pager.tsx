import { Button, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../../../components/icon.ts';
import { useListState } from '../../../components/list/list-state.ts';
import layout from '../../../components/styles/layout.module.css';

export interface Cursors {
  /** Of the page on show; undefined for the first. */
  readonly cursor: string | undefined;
  readonly page: number;
  forward(next: string): void;
  back(): void;
  reset(): void;
}

/** Moves through a list with cursors: forward with the cursor of the page, back with those already used. */
export function useCursors(list: string): Cursors {
  const [passed, setPassed] = useListState<readonly string[]>(`${list} pages`, []);
  return {
    cursor: passed.at(-1),
    page: passed.length + 1,
    forward: (next) => setPassed([...passed, next]),
    back: () => setPassed(passed.slice(0, -1)),
    reset: () => setPassed([]),
  };
}

export function Pager({ cursors, next }: { cursors: Cursors; next: string | null }) {
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
