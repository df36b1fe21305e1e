import { Button, Select, Stack, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import {
  IconArrowDownToArc,
  IconCopy,
  IconDownload,
  IconPlayerPause,
  IconPlayerPlay,
  IconSearch,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type LogLine, logLevels } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useStream } from '../../../api/use-stream.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { Page } from '../../../components/page.tsx';
import { formatTime } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { saveBlob } from '../../../lib/save-blob.ts';
import classes from './log.module.css';
import { filterLines, partsOf, textOf } from './log-lines.ts';

/** Number of lines that the page keeps. */
const KEPT = 5_000;
const ROW_PX = 24;

const openLog = (signal: AbortSignal) => client.logs.follow(undefined, { signal });
const linesOf = ({ lines }: { lines: readonly LogLine[] }) => lines;

interface LinesProps {
  lines: readonly LogLine[];
  following: boolean;
  onFollow: (following: boolean) => void;
  selected: LogLine | undefined;
  onSelect: (line: LogLine) => void;
}

/** The lines; only visible ones are rendered. While scrolled to its end, the list follows new lines. */
function Lines({ lines, following, onFollow, onSelect, selected }: LinesProps) {
  const { t, i18n } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => lines[index]?.number ?? index,
    overscan: 12,
  });
  const last = lines.at(-1)?.number;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list follows a new line.
  useEffect(() => {
    if (following && lines.length > 0) virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [following, last, lines.length]);
  return (
    <section
      ref={frame}
      className={classes.lines}
      aria-label={t('help.log.lines')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard.
      tabIndex={0}
      onWheel={(event) => event.deltaY < 0 && onFollow(false)}
      onKeyDown={(event) => ['ArrowUp', 'PageUp', 'Home'].includes(event.key) && onFollow(false)}
    >
      {lines.length === 0 && <p className={classes.empty}>{t('help.log.empty')}</p>}
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {virtualizer.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index];
          if (line === undefined) return null;
          return (
            <button
              key={String(key)}
              type="button"
              tabIndex={-1}
              className={classes.line}
              data-level={line.level}
              aria-pressed={line.number === selected?.number}
              style={{ transform: `translateY(${start}px)`, height: ROW_PX }}
              onClick={() => onSelect(line)}
            >
              <span className={classes.time}>{formatTime(line.at, i18n.language)}</span>
              <span className={classes.level}>{t(`help.log.level1.${line.level}`)}</span>
              <span className={classes.part}>{line.part}</span>
              <span className={classes.message}>
                {line.message} <span className={classes.detail}>{line.detail}</span>
              </span>
            </button>
          );
        })}
      </div>
    </section>
  );
}

/** The log as it is written, with filters for level, part and text. */
export function LogPage() {
  const { t } = useTranslation();
  const { items, skipped, lost } = useStream(openLog, linesOf, { paused: false, keep: KEPT });
  /** The lines shown while paused. The stream continues. */
  const [held, setHeld] = useState<readonly LogLine[]>();
  const [level, setLevel] = useState<LogLine['level']>('info');
  const [part, setPart] = useState('');
  const [text, setText] = useState('');
  const [following, setFollowing] = useState(true);
  const [selected, setSelected] = useState<LogLine>();
  const save = useMutation({ mutationFn: async () => saveBlob('planchet.log', await client.logs.file()) });
  const failure = lost ?? (save.error === null ? undefined : failureOf(save.error));
  const clipboard = useClipboard({ timeout: 1_500 });
  const source = held ?? items;
  const lines = useMemo(() => filterLines(source, { level, part, text }), [source, level, part, text]);
  const parts = useMemo(() => partsOf(source), [source]);
  const heldAt = held?.[0]?.number ?? Number.NEGATIVE_INFINITY;
  const since = held === undefined ? 0 : items.filter(({ number }) => number > heldAt).length;
  return (
    <Page
      wide
      title={t('help.log.title')}
      purpose={t('help.log.purpose')}
      crumbs={[{ label: t('help.title'), to: routes.help }]}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconCopy {...smallIcon} />}
            disabled={lines.length === 0}
            onClick={() => clipboard.copy(lines.map(textOf).join('\n'))}
          >
            {t(clipboard.copied ? 'help.log.copied' : 'help.log.copy')}
          </Button>
          <Button
            variant="default"
            loading={save.isPending}
            leftSection={<IconDownload {...smallIcon} />}
            onClick={() => save.mutate()}
          >
            {t('help.log.file')}
          </Button>
        </>
      }
    >
      <Stack gap="sm">
        {failure !== undefined && <FailureNote failure={failure} />}
        <div className={classes.tools}>
          <Select
            aria-label={t('help.log.level')}
            w={190}
            allowDeselect={false}
            data={logLevels.map((value) => ({ value, label: t(`help.log.levels.${value}`) }))}
            value={level}
            onChange={(value) => value !== null && setLevel(value as LogLine['level'])}
          />
          <Select
            aria-label={t('help.log.service')}
            w={150}
            placeholder={t('help.log.allServices')}
            clearable
            clearButtonProps={{ 'aria-label': t('common.clearFilter') }}
            data={parts}
            value={part === '' ? null : part}
            onChange={(value) => setPart(value ?? '')}
          />
          <TextInput
            className={classes.filter}
            aria-label={t('help.log.filter')}
            placeholder={t('help.log.filter')}
            leftSection={<IconSearch {...smallIcon} />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button
            variant="default"
            leftSection={held === undefined ? <IconPlayerPause {...smallIcon} /> : <IconPlayerPlay {...smallIcon} />}
            onClick={() => setHeld(held === undefined ? items : undefined)}
          >
            {t(held === undefined ? 'help.log.pause' : 'help.log.resume')}
          </Button>
          <Button
            variant="default"
            aria-pressed={following}
            leftSection={<IconArrowDownToArc {...smallIcon} />}
            color={following ? 'copper' : undefined}
            onClick={() => setFollowing(!following)}
          >
            {t('help.log.follow')}
          </Button>
        </div>
        <Lines
          lines={lines}
          following={following && held === undefined}
          onFollow={setFollowing}
          selected={selected}
          onSelect={(line) => {
            setSelected(line);
            setFollowing(false);
          }}
        />
        <div className={classes.foot}>
          <span>{t('help.log.shown', { count: lines.length })}</span>
          {held !== undefined && <span role="status">{t('help.log.paused', { count: since })}</span>}
          {skipped > 0 && <span>{t('help.log.skipped', { count: skipped })}</span>}
        </div>
        {selected !== undefined && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard.
          <section className={`mono ${classes.whole}`} tabIndex={0} aria-label={t('help.log.detail')}>
            {textOf(selected)}
          </section>
        )}
      </Stack>
    </Page>
  );
}
