import { Box, Button, Pill, SegmentedControl } from '@mantine/core';
import { IconHammer, IconLayoutGrid, IconList, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { type Item, isRetryable } from '../../../../contract/index.ts';
import { failureOf } from '../../../api/failure.ts';
import { icon, smallIcon } from '../../../components/icon.ts';
import { ListFilter } from '../../../components/list/list.tsx';
import { useListState } from '../../../components/list/list-state.ts';
import layout from '../../../components/styles/layout.module.css';
import { SelectionBar, TileTools } from '../../../components/tiles/selection-bar.tsx';
import { SortControl, type TileSort } from '../../../components/tiles/sort-control.tsx';
import type { ChangeChosen } from '../../../components/tiles/tile-selection.ts';
import { TileSizeControl } from '../../../components/tiles/tile-size.tsx';
import { offerProjectUndo } from '../../../components/toasts/project-undo.ts';
import { showToast } from '../../../components/toasts/toast-store.ts';
import { hintOf } from '../../../i18n/reason.ts';
import { formatInteger } from '../../../lib/format.ts';
import { hasToken, type ItemFilter, inFilter, isDraft } from '../../../lib/items/item-rules.ts';
import { useSelectedItems, useSelection } from '../../../lib/items/item-selection.ts';
import { useTokenSelection } from '../../../lib/items/token-selection.ts';
import { usePreferences } from '../../../lib/preferences.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../projects.module.css';
import { ViewLabel } from '../view-label.tsx';
import { openBulkEditor } from './editing/bulk-editor.tsx';
import { ItemGallery, isChoosable } from './gallery.tsx';
import { ItemTable } from './item-table.tsx';
import { type GallerySort, gallerySorts, keepOrder, movedBy, movedTo, shownBy } from './order.ts';
import { OrderMenu } from './order-menu.tsx';
import { removeDrafts } from './remove-items.tsx';
import { type ItemSearch, searchItems, toggleTrait } from './traits.ts';

const states = ['all', 'drafts', 'running', 'minted'] as const;
const labels = { all: 'All', drafts: 'Drafts', running: 'Running', minted: 'Minted' } as const;

const NO_SORT: TileSort<GallerySort> = { by: 'place', reversed: false };

interface ItemsViewProps {
  projectUid: string;
  items: readonly Item[];
  search: ItemSearch;
  onSearch: (search: ItemSearch) => void;
}

/** The items of a project as pictures or as rows, found by text, state and traits. */
export function ItemsView({ projectUid, items, search, onSearch }: ItemsViewProps) {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const view = usePreferences((state) => state.itemsView);
  const setView = usePreferences((state) => state.setItemsView);
  const setSelection = useSelection((state) => state.set);
  const chosen = useSelectedItems(projectUid);
  const chosenIds = useMemo(() => new Set(chosen), [chosen]);
  const wanted = useDeferredValue(search);
  const visible = useMemo(() => searchItems(items, wanted), [items, wanted]);
  const drafts = useMemo(() => visible.filter(isDraft), [visible]);
  const [sort, setSort] = useListState<TileSort<GallerySort>>(`project ${projectUid} sort`, NO_SORT);
  const shown = useMemo(() => shownBy(visible, sort.by, sort.reversed), [visible, sort]);
  const selected = useMemo(() => items.filter((item) => chosenIds.has(item.id) && isDraft(item)), [items, chosenIds]);
  const tokens = useMemo(() => items.filter((item) => chosenIds.has(item.id) && hasToken(item)), [items, chosenIds]);
  const counts = useMemo(
    () => states.map((value) => ({ value, count: items.filter((item) => inFilter(item, value)).length })),
    [items],
  );
  const select = useCallback(
    (ids: readonly string[]): void => setSelection(projectUid, ids),
    [projectUid, setSelection],
  );
  const mint = (list: readonly Item[]): void => {
    select(list.map(({ id }) => id));
    navigate(routes.mint(projectUid));
  };
  const send = (list: readonly Item[]): void => {
    useTokenSelection.getState().change(() => new Set(list.flatMap(({ outpoint }) => outpoint ?? [])));
    navigate(routes.tokensSend);
  };
  const remove = (list: readonly Item[]): void => void removeDrafts(queries, list).then(() => select([]));
  const order = useCallback(
    (ids: readonly string[], renumber: boolean): void => {
      const moved = (): void =>
        offerProjectUndo(queries, projectUid, t('projects.undo.change.reordered', { count: ids.length }));
      void keepOrder(queries, projectUid, ids, renumber).then(moved, (error: unknown) => {
        const failure = failureOf(error);
        const again = { label: t('common.retry'), run: () => order(ids, renumber) };
        showToast({
          id: 'item-order',
          tone: 'fail',
          title: failure.message,
          text: hintOf(failure) ?? failure.code,
          action: isRetryable(failure) ? again : undefined,
        });
      });
    },
    [queries, projectUid, t],
  );
  const move = useCallback((id: string, target: string) => order(movedTo(items, id, target), false), [items, order]);
  const step = useCallback((id: string, places: number) => order(movedBy(items, id, places), false), [items, order]);
  const choose = useCallback<ChangeChosen>(
    (change) => {
      const now = useSelection.getState().byProject[projectUid] ?? [];
      select([...change(new Set(now))]);
    },
    [projectUid, select],
  );
  const tools = (
    <>
      <div className={classes.grow}>
        <ListFilter
          label={t('projects.page.search')}
          value={search.text}
          onChange={(text) => onSearch({ ...search, text })}
        />
      </div>
      <SegmentedControl
        size="xs"
        aria-label={t('projects.page.filterState')}
        value={search.state}
        onChange={(state) => onSearch({ ...search, state: state as ItemFilter })}
        data={counts.map(({ value, count }) => ({
          value,
          label: `${t(`projects.page.filter${labels[value]}`)} ${formatInteger(count, i18n.language)}`,
        }))}
      />
      <SegmentedControl
        size="xs"
        aria-label={t('projects.view')}
        value={view}
        onChange={(value) => setView(value as typeof view)}
        data={[
          { value: 'gallery', label: <ViewLabel icon={IconLayoutGrid} label={t('projects.viewGallery')} /> },
          { value: 'table', label: <ViewLabel icon={IconList} label={t('projects.viewTable')} /> },
        ]}
      />
      <OrderMenu items={items} onOrder={order} />
    </>
  );
  const filters = search.traits.length > 0 && (
    <div className={classes.chips}>
      {search.traits.map((trait) => {
        const name = `${trait.name}: ${trait.value}`;
        return (
          <Pill
            key={name}
            withRemoveButton
            onRemove={() => onSearch({ ...search, traits: toggleTrait(search.traits, trait) })}
            removeButtonProps={{
              'aria-label': t('projects.traits.remove', { name }),
              tabIndex: 0,
              'aria-hidden': false,
            }}
          >
            {name}
          </Pill>
        );
      })}
      <Button size="compact-xs" variant="subtle" onClick={() => onSearch({ ...search, traits: [] })}>
        {t('projects.traits.clear')}
      </Button>
    </div>
  );

  if (view === 'table') {
    return (
      <>
        {filters}
        <ItemTable
          items={visible}
          tools={tools}
          onMint={mint}
          onSend={send}
          onEdit={openBulkEditor}
          onRemove={remove}
          onMove={move}
          onStep={step}
        />
      </>
    );
  }
  const choosable = shown.filter(isChoosable);
  const allChosen = choosable.every(({ id }) => chosenIds.has(id));
  const selectAll = (
    <Button size="xs" variant="subtle" onClick={() => select(choosable.map(({ id }) => id))}>
      {t(drafts.length === choosable.length ? 'projects.page.selectAll' : 'projects.page.selectEverything')}
    </Button>
  );
  return (
    <>
      <div className={classes.toolbar}>{tools}</div>
      {filters}
      <Box mb="xs">
        {selected.length + tokens.length > 0 ? (
          <SelectionBar count={selected.length + tokens.length} onClear={() => select([])}>
            {!allChosen && selectAll}
            {tokens.length > 0 && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconSend {...smallIcon} />}
                onClick={() => send(tokens)}
              >
                {t('projects.page.sendSelected', { count: tokens.length })}
              </Button>
            )}
            {selected.length > 0 && (
              <>
                <Button size="xs" variant="default" onClick={() => openBulkEditor(selected)}>
                  {t('projects.bulk.open')}
                </Button>
                <Button size="xs" variant="default" onClick={() => remove(selected)}>
                  {t('projects.page.removeSelected')}
                </Button>
                <Button size="xs" leftSection={<IconHammer {...icon} size={15} />} onClick={() => mint(selected)}>
                  {t('projects.page.mintSelected', { count: selected.length })}
                </Button>
              </>
            )}
          </SelectionBar>
        ) : (
          <TileTools>
            {choosable.length > 0 && selectAll}
            <SortControl keys={gallerySorts} sort={sort} onChange={setSort} />
            <TileSizeControl />
          </TileTools>
        )}
      </Box>
      {visible.length === 0 ? (
        <p className={layout.dim}>{t('projects.page.noneInFilter')}</p>
      ) : (
        <ItemGallery
          label={t('projects.page.items')}
          items={shown}
          chosen={chosenIds}
          movable={sort.by === 'place' && !sort.reversed}
          onMove={move}
          onStep={step}
          onChosen={choose}
        />
      )}
    </>
  );
}
