import { IconPinFilled } from '@tabler/icons-react';
import { type CSSProperties, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { SandboxBlock, SandboxSnapshot } from '../../../../contract/index.ts';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { shortAge } from '../picture/age.ts';
import { PickList } from '../picture/pick-list.tsx';
import { blockHeight } from '../picture/scale.ts';
import { useSandboxNow } from '../sandbox-time.ts';
import drawing from './block.module.css';
import classes from './chain.module.css';
import { mostReplaced } from './falls-out.ts';
import { PITCH_PX, TipHandle } from './tip-handle.tsx';

/** Older blocks are loaded when the oldest is closer than this. */
const NEAR_PX = 600;

interface BlockRowProps {
  /** Oldest first. */
  blocks: readonly SandboxBlock[];
  snapshots: readonly SandboxSnapshot[];
  picked: string | undefined;
  onPick: (block: SandboxBlock) => void;
  depth: number;
  onDepth: (depth: number) => void;
  onConfirm: () => void;
  onOlder: () => void;
}

const hashOf = ({ hash }: SandboxBlock): string => hash;

/** Hashes and lowest height of the first reply. Blocks that arrive later are animated. */
function useFirstSeen(blocks: readonly SandboxBlock[]): (block: SandboxBlock) => boolean {
  const first = useRef({ hashes: new Set(blocks.map(hashOf)), from: blocks[0]?.height ?? 0 });
  return ({ hash, height }) => height >= first.current.from && !first.current.hashes.has(hash);
}

/** The chain as a row that grows to the right. The newest block is first in reading order, and is always visible. */
export function BlockRow({ blocks, snapshots, depth, onDepth, onConfirm, onOlder, ...pick }: BlockRowProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const now = useSandboxNow();
  const hasArrived = useFirstSeen(blocks);
  const newestFirst = useMemo(() => [...blocks].reverse(), [blocks]);
  const pins = useMemo(() => Map.groupBy(snapshots, ({ tip }) => tip?.hash ?? ''), [snapshots]);
  const tip = blocks.at(-1)?.height ?? 0;
  const pinned = (block: SandboxBlock): string => (pins.get(block.hash) ?? []).map(({ name }) => name).join(', ');
  return (
    <div
      className={classes.scroller}
      style={{ '--pitch': `${PITCH_PX}px` } as CSSProperties}
      onScroll={({ currentTarget: { scrollLeft, scrollWidth, clientWidth } }) => {
        // The row starts at the right, so the scroll offset is negative.
        if (scrollWidth - clientWidth + scrollLeft < NEAR_PX) onOlder();
      }}
    >
      <div className={classes.row}>
        <TipHandle depth={depth} most={mostReplaced(tip)} onChange={onDepth} onConfirm={onConfirm} />
        {depth > 0 && (
          <div className={classes.branch} style={{ width: depth * PITCH_PX - 14 }} aria-hidden>
            {t('sandbox.chain.branch', { count: depth + 1 })}
          </div>
        )}
        <PickList
          fromRight
          label={t('sandbox.chain.blocks')}
          items={newestFirst}
          keyOf={hashOf}
          className={classes.blocks}
          itemClass={drawing.block}
          {...pick}
          nameOf={(block) =>
            [
              t('sandbox.chain.blockName', {
                count: block.transactions + 1,
                height: formatInteger(block.height, language),
                age: shortAge(now - block.time, language),
                size: formatBytes(block.bytes, language),
              }),
              pins.has(block.hash) && t('sandbox.chain.pinned', { name: pinned(block) }),
              tip - block.height < depth && t('sandbox.chain.falls'),
            ]
              .filter(Boolean)
              .join('. ')
          }
          marksOf={(block) => ({
            'data-falls': tip - block.height < depth || undefined,
            'data-arrived': hasArrived(block) || undefined,
            'data-empty': block.transactions === 0 || undefined,
            'data-height': block.height,
          })}
        >
          {(block) => (
            <>
              {pins.has(block.hash) && (
                <span className={drawing.pin} title={pinned(block)}>
                  <IconPinFilled size={14} aria-hidden />
                  <span className={drawing.pinName}>{pinned(block)}</span>
                </span>
              )}
              <span className={drawing.box} style={{ height: blockHeight(block.bytes) }}>
                {/* Includes the coinbase, like the explorer. */}
                {block.transactions > 0 && formatInteger(block.transactions + 1, language)}
              </span>
              <span className={drawing.height}>{formatInteger(block.height, language)}</span>
              <span className={drawing.age}>{shortAge(now - block.time, language)}</span>
            </>
          )}
        </PickList>
      </div>
    </div>
  );
}
