import { Button } from '@mantine/core';
import { IconCheck, IconChevronUp, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Tone } from '../../../../contract/index.ts';
import { smallIcon } from '../../../components/icon.ts';
import { Badge } from '../../../components/values/values.tsx';
import classes from './going-live.module.css';

export const rowNames = ['wallet', 'backup', 'sources', 'miners', 'money', 'mint'] as const;
export type RowName = (typeof rowNames)[number];

/** `next` is the first step that needs the person. `waiting` steps come later, or are in progress. */
export type RowState = 'done' | 'next' | 'waiting' | 'failed';

const tones: Readonly<Record<RowState, Tone>> = { done: 'done', next: 'info', waiting: 'neutral', failed: 'fail' };

interface RowProps {
  name: RowName;
  state: RowState;
  /** Its state, in one sentence. */
  sentence: string;
  /** Label of its button while the row is folded. */
  action: string;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** One step of going live: its state, and a button that unfolds its controls. */
export function Row({ name, state, sentence, action, open, onToggle, children }: RowProps) {
  const { t } = useTranslation();
  const titleId = `live-${name}`;
  const bodyId = `live-${name}-body`;
  return (
    <li className={classes.row} data-row={name} data-state={state} data-open={open || undefined}>
      <div className={classes.head}>
        <span className={classes.mark} aria-hidden>
          {state === 'done' ? (
            <IconCheck {...smallIcon} stroke={2.25} />
          ) : state === 'failed' ? (
            <IconX {...smallIcon} stroke={2.25} />
          ) : (
            rowNames.indexOf(name) + 1
          )}
        </span>
        <div className={classes.text}>
          <h2 id={titleId} className={classes.title}>
            {t(`goingLive.row.${name}`)}
          </h2>
          <div className={classes.sentence} role="status">
            {sentence}
          </div>
        </div>
        <Badge tone={tones[state]}>{t(`goingLive.state.${state}`)}</Badge>
        <Button
          className={classes.action}
          size="xs"
          variant={!open && (state === 'next' || state === 'failed') ? 'filled' : 'default'}
          aria-expanded={open}
          aria-controls={bodyId}
          aria-describedby={titleId}
          rightSection={open ? <IconChevronUp {...smallIcon} /> : undefined}
          onClick={onToggle}
        >
          {open ? t('goingLive.fold') : action}
        </Button>
      </div>
      <section id={bodyId} aria-labelledby={titleId} hidden={!open} className={classes.body}>
        {open && children}
      </section>
    </li>
  );
}
