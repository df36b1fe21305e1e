import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunItem } from '../../../../../contract/index.ts';
import { FailureNote } from '../../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../../components/icon.ts';
import { Panel } from '../../../../components/page.tsx';
import { Thumb } from '../../../../components/preview/art.tsx';
import layout from '../../../../components/styles/layout.module.css';
import { formatInteger } from '../../../../lib/format.ts';
import { type Mark, markOf, marks } from '../run-states.ts';
import runMapClasses from './run-map.module.css';

/** Squares that are drawn again together. */
const CHUNK = 250;

export const fileOf = (item: RunItem) => ({
  sha256: item.sha256,
  name: item.name,
  contentType: item.contentType,
  bytes: 0,
});

interface ChunkProps {
  items: readonly RunItem[];
  first: number;
  moving: boolean;
}

/** Failed tokens can be reached by keyboard; the others only tell their state. */
const Chunk = memo(
  function Squares({ items, first, moving }: ChunkProps) {
    const { t } = useTranslation();
    return items.map((item, index) => {
      const mark = markOf(item, moving);
      const common = { 'data-index': first + index, 'data-mark': mark, className: runMapClasses.square };
      return mark === 'failed' ? (
        <button key={item.id} type="button" aria-label={t('run.map.openFailed', { name: item.name })} {...common} />
      ) : (
        <span key={item.id} aria-hidden {...common} />
      );
    });
  },
  (before, after) =>
    before.moving === after.moving &&
    before.items.length === after.items.length &&
    before.items.every((item, index) => item === after.items[index]),
);

/** All tokens of a run as squares coloured by their state. */
export function RunMap({
  items,
  moving,
  onRetry,
  retrying,
}: {
  items: readonly RunItem[];
  moving: boolean;
  /** Tries one transaction again; left out where nothing can be. */
  onRetry: ((jobId: string) => void) | undefined;
  retrying: boolean;
}) {
  const { t, i18n } = useTranslation();
  const [over, setOver] = useState<number | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const counts = new Map<Mark, number>();
  for (const item of items) {
    const mark = markOf(item, moving);
    counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  const indexAt = (target: EventTarget): number | null => {
    const index = (target as HTMLElement).dataset?.index;
    return index === undefined ? null : Number(index);
  };
  const told = over === null ? undefined : items[over];
  const failed = items.find((item) => item.id === opened && markOf(item, moving) === 'failed');
  const legend = marks.filter((mark) => (counts.get(mark) ?? 0) > 0);
  return (
    <Panel title={t('run.map.title')}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the squares that do something are buttons; hovering only names the others. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a click comes from a button, which the keyboard presses as well. */}
      <div
        className={runMapClasses.map}
        data-many={items.length > 1_000 || undefined}
        onMouseOver={(event) => setOver(indexAt(event.target))}
        onFocus={(event) => setOver(indexAt(event.target))}
        onMouseLeave={() => setOver(null)}
        onClick={(event) => {
          const item = items[indexAt(event.target) ?? -1];
          if (item !== undefined && markOf(item, moving) === 'failed') setOpened(item.id);
        }}
      >
        {Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, chunk) => (
          <Chunk
            // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of a run never move.
            key={chunk}
            items={items.slice(chunk * CHUNK, (chunk + 1) * CHUNK)}
            first={chunk * CHUNK}
            moving={moving}
          />
        ))}
      </div>
      <div className={runMapClasses.told}>
        {told === undefined ? (
          <ul className={runMapClasses.legend} aria-label={t('run.map.legend')}>
            {legend.map((mark) => (
              <li key={mark}>
                <span className={runMapClasses.square} data-mark={mark} aria-hidden />
                {t(`run.mark.${mark}`)} <b className="num">{formatInteger(counts.get(mark) ?? 0, i18n.language)}</b>
              </li>
            ))}
          </ul>
        ) : (
          <>
            <Thumb file={fileOf(told)} size={32} />
            <b>{told.name}</b>
            <span className={layout.dim}>{t(`run.mark.${markOf(told, moving)}`)}</span>
          </>
        )}
      </div>
      {failed?.failure && (
        <div className={runMapClasses.failed}>
          <FailureNote
            failure={failed.failure}
            note={t('run.map.failedToken', { name: failed.name })}
            actions={
              onRetry && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRefresh {...smallIcon} />}
                  loading={retrying}
                  onClick={() => onRetry(failed.jobId)}
                >
                  {t('run.map.retry')}
                </Button>
              )
            }
          />
        </div>
      )}
    </Panel>
  );
}
