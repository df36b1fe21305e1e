import { Button, CloseButton, Loader } from '@mantine/core';
import { useModals } from '@mantine/modals';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { MAX_SEARCH_TEXT, readSought } from '../../../contract/index.ts';
import { useNetwork } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { offerUndo } from '../../components/toasts/undo.ts';
import { isComposing } from '../../lib/focus/is-typing.ts';
import { useRecent } from '../../lib/recent.ts';
import type { Entry } from './entry.ts';
import { useHostHits } from './host-hits.tsx';
import { NothingFound } from './nothing-found.tsx';
import { closeSearch } from './open-search.ts';
import classes from './search.module.css';
import { useEntries } from './use-entries.tsx';

/** Rows that Page Up and Page Down move by. */
const PAGE = 8;

/** The new index of the selection, by key. */
const moves: ReadonlyMap<string, (at: number, count: number) => number> = new Map(
  Object.entries<(at: number, count: number) => number>({
    ArrowDown: (at, count) => (at + 1) % count,
    ArrowUp: (at, count) => (at - 1 + count) % count,
    PageDown: (at, count) => Math.min(at + PAGE, count - 1),
    PageUp: (at) => Math.max(at - PAGE, 0),
  }),
);

/** Text typed before the rest of the search was loaded, and whether Enter was pressed after it. */
export interface Typed {
  readonly text: string;
  readonly entered: boolean;
}

/** The search field and its results. Its state is reset each time the search is opened. */
export function SearchBody({ begun }: { begun: Typed }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const network = useNetwork();
  const modals = useModals();
  const [text, setText] = useState(begun.text);
  /** The entry selected with the arrow keys; without it the first one is selected. */
  const [marked, setMarked] = useState<string>();
  /** Enter was pressed before the host replied. It opens the first entry once the reply is there. */
  const [held, setHeld] = useState(begun.entered);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const change = (next: string): void => {
    setText(next);
    setMarked(undefined);
    setHeld(false);
    field.current?.focus();
  };
  const { answer, current } = useHostHits(text);
  const groups = useEntries(text, change, answer);
  const entries = groups.flatMap((group) => group.entries);
  const at = Math.max(
    0,
    entries.findIndex(({ id }) => id === marked),
  );
  const chosen = entries[at];
  const hasRecent = useRecent(
    (state) => (state.opened[network]?.length ?? 0) + (state.searches[network]?.length ?? 0) > 0,
  );

  // The dialog would focus the field a moment later, and text typed until then would be lost.
  useLayoutEffect(() => field.current?.focus(), []);

  const open = (entry: Entry): void => {
    const { label, description = '', kind = '', to } = entry;
    if (entry.stays === true) {
      entry.run?.();
      return;
    }
    const recent = useRecent.getState();
    recent.addChosen(entry.id);
    if (text.trim() !== '') recent.addSearch(network, text.trim());
    if (to !== undefined && !entry.id.startsWith('go-')) {
      recent.addOpened(network, { label, kind, place: description, to });
    }
    closeSearch();
    // A dialog below would stay open above the page that the search opens.
    modals.closeAll();
    if (to === undefined) entry.run?.();
    else navigate(to);
  };

  const enter = (): void => {
    const { kind } = readSought(text);
    // The target of an outpoint or an address does not depend on the reply.
    const isClear = kind === 'outpoint' || kind === 'address';
    if (chosen !== undefined && (current || marked !== undefined || isClear)) open(chosen);
    else if (!current) setHeld(true);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the reply arrives, and only then.
  useEffect(() => {
    if (!held || !current) return;
    setHeld(false);
    if (chosen !== undefined) open(chosen);
  }, [held, current]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected row is looked up in the rendered list.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [marked, text]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const move = moves.get(event.key);
    if (move !== undefined && entries.length > 0) {
      event.preventDefault();
      setMarked(entries[move(at, entries.length)]?.id);
    }
    if (event.key === 'Escape') closeSearch();
    if (event.key === 'Enter') {
      event.preventDefault();
      enter();
    }
  };

  return (
    <>
      <div className={classes.bar}>
        <IconSearch {...icon} className={classes.glass} />
        <input
          ref={field}
          className={classes.field}
          role="combobox"
          aria-label={t('app.find.placeholder')}
          aria-expanded={entries.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={chosen === undefined ? undefined : `${listId}-${at}`}
          placeholder={t('app.find.placeholder')}
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_SEARCH_TEXT}
          data-autofocus
          // Escape closes the search only, not a dialog below it.
          data-mantine-stop-propagation="true"
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <span className={classes.busy}>{!current && <Loader size={14} color="gray" />}</span>
        {text !== '' && <CloseButton size="sm" aria-label={t('app.find.clear')} onClick={() => change('')} />}
      </div>
      <div
        className={classes.list}
        id={listId}
        ref={list}
        role="listbox"
        aria-label={t('app.find.results')}
        tabIndex={-1}
      >
        {groups.map(({ group, entries: listed }) => (
          <Group
            key={group}
            heading={group}
            entries={listed}
            first={entries.indexOf(listed[0] as Entry)}
            marked={at}
            listId={listId}
            onOpen={open}
          />
        ))}
      </div>
      {current && entries.length === 0 && <NothingFound text={text.trim()} answer={answer} />}
      <div className={classes.foot}>
        <span aria-hidden>{t('app.find.keys')}</span>
        <span className={classes.count} role="status">
          {current && text.trim() !== '' && t('app.find.count', { count: entries.length })}
        </span>
        {text.trim() === '' && hasRecent && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() =>
              offerUndo({
                id: 'recent-cleared',
                title: t('app.find.forgotten'),
                undo: useRecent.getState().clear(network),
              })
            }
          >
            {t('app.find.forget')}
          </Button>
        )}
      </div>
    </>
  );
}

interface GroupProps {
  heading: string;
  entries: readonly Entry[];
  /** Index of its first entry in the complete list. */
  first: number;
  marked: number;
  listId: string;
  onOpen: (entry: Entry) => void;
}

function Group({ heading, entries, first, marked, listId, onOpen }: GroupProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options, as in a listbox.
    <div role="group" aria-label={heading}>
      <div className={classes.heading} aria-hidden>
        {heading}
      </div>
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys.
        <div
          key={entry.id}
          id={`${listId}-${first + index}`}
          className={classes.entry}
          role="option"
          tabIndex={-1}
          aria-selected={first + index === marked}
          onClick={() => onOpen(entry)}
          // Keeps the focus in the field.
          onMouseDown={(event) => event.preventDefault()}
        >
          <span className={classes.picture}>{entry.picture}</span>
          <span className={classes.label}>{entry.label}</span>
          {entry.description !== undefined && entry.description !== '' && (
            <span className={classes.description}>{entry.description}</span>
          )}
          {entry.kind !== undefined && <span className={classes.kind}>{entry.kind}</span>}
        </div>
      ))}
    </div>
  );
}
