import { Modal, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { type ComponentType, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isComposing } from '../../lib/focus/is-typing.ts';
import { takeLostFocusToView } from '../../lib/focus/view-focus.ts';
import { closeSearch, openSearch, useSearchOpen } from './open-search.ts';
import classes from './search.module.css';
import type { Typed } from './search-body.tsx';

const nothingTyped: Typed = { text: '', entered: false };

type Body = ComponentType<{ begun: Typed }>;

/** Imports the search on demand, to keep it out of the first script. */
export async function loadSearchBody(): Promise<Body> {
  return (await import('./search-body.tsx')).SearchBody;
}

/** The field while the rest of the search is being loaded, so that text typed right after the shortcut is not lost. */
function EarlyField({ typed, onLoaded }: { typed: RefObject<Typed>; onLoaded: (body: Body) => void }) {
  const { t } = useTranslation();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is loaded once.
  useEffect(() => {
    loadSearchBody().then(onLoaded, closeSearch);
  }, []);
  return (
    <input
      ref={field}
      className={classes.field}
      role="combobox"
      aria-label={t('app.find.placeholder')}
      aria-expanded={false}
      placeholder={t('app.find.placeholder')}
      autoComplete="off"
      data-autofocus
      onChange={({ currentTarget: { value } }) => {
        typed.current = { text: value, entered: false };
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !isComposing(event)) typed.current = { ...typed.current, entered: true };
      }}
    />
  );
}

/** The search over everything on this network, views, commands, settings and help. It is opened by keyboard or from the top bar. */
export function Search() {
  const { t } = useTranslation();
  const opened = useSearchOpen((state) => state.opened);
  const [Loaded, setLoaded] = useState<Body>();
  const begun = useRef(nothingTyped);
  /** The element that had the focus when the search opened. */
  const before = useRef<{ place: string; focus: Element | null }>({ place: '', focus: null });
  useHotkeys([['mod+K', () => (useSearchOpen.getState().opened ? closeSearch() : openSearch())]], []);
  // This runs before the field takes the focus.
  if (opened && before.current.place === '')
    before.current = { place: location.hash || '#/', focus: document.activeElement };

  useEffect(() => {
    if (opened) return;
    begun.current = nothingTyped;
    const { place, focus } = before.current;
    before.current = { place: '', focus: null };
    if (place === '') return;
    if ((location.hash || '#/') !== place) takeLostFocusToView();
    else if (focus instanceof HTMLElement) focus.focus({ preventScroll: true });
  }, [opened]);

  return (
    <Modal
      opened={opened}
      onClose={closeSearch}
      title={<VisuallyHidden>{t('app.searchShort')}</VisuallyHidden>}
      withCloseButton={false}
      size={620}
      // Above every other dialog.
      zIndex={300}
      // The field does not move as the number of results changes.
      centered={false}
      yOffset="12dvh"
      padding={0}
      // Text typed right after the shortcut must reach the field, so there is no transition.
      transitionProps={{ duration: 0 }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.45 }}
      // Focus is restored above: a view that the search opened starts at its heading.
      returnFocus={false}
      classNames={{ header: classes.unseen, body: classes.body }}
    >
      {Loaded === undefined ? (
        <EarlyField typed={begun} onLoaded={(body) => setLoaded(() => body)} />
      ) : (
        <Loaded begun={begun.current} />
      )}
    </Modal>
  );
}
