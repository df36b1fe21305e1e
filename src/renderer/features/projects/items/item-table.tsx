import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Item, mintStates } from '../../../../contract/index.ts';
import { figureColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Thumbnail } from '../../../components/preview/thumbnail.tsx';
import { StateBadge } from '../../../components/values/values.tsx';
import { formatBytes } from '../../../lib/format.ts';
import { hasToken, isDraft } from '../../../lib/items/item-rules.ts';
import projectClasses from '../projects.module.css';
import { openItem } from './editing/item-editor.tsx';
import { canMove, movable } from './order.ts';

const idOf = (item: Item): string => item.id;

function traitsOf({ metadata }: Item): string {
  return metadata.traits.map(({ name, value }) => `${name}: ${value}`).join(', ');
}

function useColumns(): readonly ListColumn<Item>[] {
  const { t, i18n } = useTranslation();
  return useMemo<readonly ListColumn<Item>[]>(
    () => [
      {
        key: 'picture',
        title: t('projects.table.picture'),
        width: '44px',
        value: () => null,
        sortable: false,
        action: true,
        render: (item) => (
          <div className={projectClasses.mini}>
            <Thumbnail file={item.file} small />
          </div>
        ),
      },
      {
        key: 'number',
        title: t('projects.table.number'),
        width: '64px',
        align: 'right',
        value: ({ metadata }) => metadata.mintNumber ?? null,
      },
      {
        key: 'name',
        title: t('projects.table.name'),
        width: 'minmax(140px, 1.4fr)',
        value: ({ metadata }) => metadata.name,
        render: (item) => (
          <UnstyledButton className="link" fz="sm" onClick={() => openItem(item)}>
            {item.metadata.name}
          </UnstyledButton>
        ),
      },
      { key: 'traits', title: t('projects.item.traits'), width: 'minmax(120px, 2fr)', value: traitsOf },
      {
        key: 'rank',
        title: t('projects.table.rank'),
        width: '64px',
        align: 'right',
        value: ({ metadata }) => metadata.rank ?? null,
      },
      {
        key: 'state',
        title: t('projects.table.state'),
        width: '130px',
        value: ({ state }) => t(mintStates.row(state).label),
        render: (item) => (
          <StateBadge
            state={item.state}
            failed={item.failure !== null}
            awaiting={item.state === 'reviewed'}
            active={!isDraft(item) && item.failure === null && !mintStates.is(item.state, 'mined')}
          />
        ),
      },
      figureColumn(
        { key: 'bytes', title: t('common.bytes'), width: '88px', extra: true },
        ({ file }) => file.bytes,
        (bytes) => formatBytes(bytes, i18n.language),
      ),
      {
        key: 'file',
        title: t('projects.item.file'),
        width: 'minmax(100px, 1fr)',
        value: ({ file }) => file.name,
        extra: true,
      },
      {
        key: 'type',
        title: t('common.type'),
        width: 'minmax(90px, 1fr)',
        value: ({ file }) => file.contentType,
        extra: true,
      },
      {
        key: 'outpoint',
        title: t('projects.table.outpoint'),
        width: 'minmax(100px, 1fr)',
        value: (item) => item.outpoint,
        extra: true,
      },
    ],
    [t, i18n.language],
  );
}

interface ItemTableProps {
  items: readonly Item[];
  tools: ReactNode;
  onMint: (items: readonly Item[]) => void;
  onSend: (items: readonly Item[]) => void;
  onEdit: (items: readonly Item[]) => void;
  onRemove: (items: readonly Item[]) => void;
  /** Puts a draft to the place of another. */
  onMove: (id: string, target: string) => void;
  onStep: (id: string, places: number) => void;
}

/** The same items as rows: sorted, chosen with the keyboard, exported. */
export function ItemTable({ items, tools, onMint, onSend, onEdit, onRemove, onMove, onStep }: ItemTableProps) {
  const { t } = useTranslation();
  const columns = useColumns();
  const moves = useMemo(
    () => ({
      fits: canMove,
      to: onMove,
      by: onStep,
      hint: t('projects.order.rowsHint'),
      sorted: t('projects.order.rowsSorted'),
      unsort: t('projects.order.rowsUnsort'),
    }),
    [t, onMove, onStep],
  );
  return (
    <List
      name="items"
      label={t('projects.page.items')}
      rows={items}
      idOf={idOf}
      columns={columns}
      tools={tools}
      bulk={[
        { label: t('projects.page.mintChosen'), run: onMint, fits: isDraft },
        { label: t('projects.page.sendChosen'), run: onSend, fits: hasToken },
        { label: t('projects.bulk.open'), run: onEdit, fits: isDraft },
        { label: t('projects.page.removeSelected'), run: onRemove, fits: isDraft },
      ]}
      onOpen={openItem}
      {...(movable(items).length > 1 && { moves })}
    />
  );
}
