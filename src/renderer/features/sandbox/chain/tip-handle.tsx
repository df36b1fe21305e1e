import { IconGripVertical } from '@tabler/icons-react';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../../../components/icon.ts';
import classes from './chain.module.css';
import { depthAt } from './falls-out.ts';

/** Width of a block with its gap, in pixels. */
export const PITCH_PX = 76;
/** From the rest position of the handle to the end of the last block, in pixels. */
const REST_PX = 13;
/** Blocks per step of the page keys. */
const PAGE = 10;
/** Closer to the left edge than this, the blocks scroll below the pointer. */
const EDGE_PX = 48;

interface TipHandleProps {
  depth: number;
  most: number;
  onChange: (depth: number) => void;
  onConfirm: () => void;
}

/** A handle at the end of the chain. Dragging it to the left, or the arrow keys, show what a reorganisation would remove. */
export function TipHandle({ depth, most, onChange, onConfirm }: TipHandleProps) {
  const { t } = useTranslation();
  const dragging = useRef(false);
  const handle = useRef<HTMLDivElement>(null);

  function follow(event: PointerEvent): void {
    const row = handle.current?.parentElement;
    const scroller = row?.parentElement;
    if (!dragging.current || row == null || scroller == null) return;
    if (event.clientX < scroller.getBoundingClientRect().left + EDGE_PX) scroller.scrollLeft -= PITCH_PX / 2;
    const end = row.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(row).paddingRight);
    onChange(depthAt(end - event.clientX, PITCH_PX, most));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const moved: Partial<Record<string, number>> = {
      ArrowLeft: depth + 1,
      ArrowDown: depth + 1,
      ArrowRight: depth - 1,
      ArrowUp: depth - 1,
      PageDown: depth + PAGE,
      PageUp: depth - PAGE,
      Home: most,
      End: 0,
      Escape: 0,
    };
    const wanted = moved[event.key];
    if (event.key === 'Enter' && depth > 0) onConfirm();
    if (wanted === undefined) return;
    event.preventDefault();
    onChange(Math.min(most, Math.max(0, wanted)));
  }

  return (
    <div
      ref={handle}
      role="slider"
      tabIndex={0}
      className={classes.handle}
      data-moved={depth > 0 || undefined}
      style={{ transform: `translateX(${depth === 0 ? 0 : -depth * PITCH_PX - REST_PX}px)` }}
      aria-label={t('sandbox.chain.handle')}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={depth}
      aria-valuetext={depth === 0 ? t('sandbox.chain.handleRests') : t('sandbox.chain.fallOut', { count: depth })}
      title={t('sandbox.chain.handleHint')}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        dragging.current = true;
      }}
      onPointerMove={follow}
      onPointerUp={() => {
        dragging.current = false;
      }}
      onPointerCancel={() => {
        dragging.current = false;
      }}
    >
      <IconGripVertical {...smallIcon} aria-hidden />
    </div>
  );
}
