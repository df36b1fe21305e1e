import { Button, CloseButton } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { isTyping } from '../../lib/focus/is-typing.ts';
import { icon } from '../icon.ts';
import { endUndo, hideToast, type Toast, takeAction, usePageUndo, useToasts } from './toast-store.ts';
import classes from './toasts.module.css';

const icons = { done: IconCircleCheck, wait: IconAlertTriangle, fail: IconCircleX, info: IconInfoCircle };

function ToastLine({ toast, paused }: { toast: Toast; paused: boolean }) {
  const { t } = useTranslation();
  const { id, tone, title, text, action, lastsMs } = toast;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer toast of the same id restarts the timer.
  useEffect(() => {
    if (paused || lastsMs === null) return;
    const timer = setTimeout(() => hideToast(id), lastsMs);
    return () => clearTimeout(timer);
  }, [paused, toast]);
  const Shown = icons[tone];
  return (
    <li className={classes.toast} data-tone={tone}>
      <Shown {...icon} className={classes.icon} aria-hidden />
      <span className={classes.words}>
        <b>{title}</b>
        {text !== undefined && <span className={classes.text}>{text}</span>}
      </span>
      {action !== undefined && (
        <Button
          size="compact-sm"
          variant="default"
          aria-keyshortcuts={toast.isUndo ? 'Control+Z Meta+Z' : undefined}
          onClick={() => takeAction(toast)}
        >
          {action.label}
        </Button>
      )}
      <CloseButton size={24} aria-label={t('common.close')} onClick={() => hideToast(id)} />
    </li>
  );
}

/** Ctrl+Z (Cmd+Z) undoes the last action, while that is offered or the open view stores it, except in text fields. */
function useUndoKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey);
      if (!isUndo || event.shiftKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      const last = useToasts.getState().toasts.findLast((toast) => toast.isUndo);
      const ofPage = usePageUndo.getState().run;
      if (last === undefined && ofPage === undefined) return;
      event.preventDefault();
      if (last === undefined) ofPage?.();
      else takeAction(last);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Leaving a view ends its offers to undo, since the effect would not be visible from another view. */
function useUndoOfView(): void {
  const [path] = useLocation();
  const section = path.split('/')[1];
  const before = useRef(section);
  useEffect(() => {
    if (before.current !== section) endUndo();
    before.current = section;
  }, [section]);
}

/**
 * Messages about events outside the open view. They have space of their own below the view, so that they cover nothing. They stay while the
 * pointer or the focus is on one of them, and while the window is not visible.
 */
export function Toasts() {
  const { t } = useTranslation();
  const toasts = useToasts((state) => state.toasts);
  useUndoKey();
  useUndoOfView();
  const [held, setHeld] = useState(false);
  const hidden = useDocumentVisibility() === 'hidden';
  const none = toasts.length === 0;
  // The last one may be closed under the pointer, and then no leave event is fired.
  useEffect(() => {
    if (none) setHeld(false);
  }, [none]);
  return (
    <section className={classes.region} aria-label={t('common.notifications')} aria-live="polite">
      {!none && (
        <ul
          className={classes.list}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          {toasts.map((toast) => (
            <ToastLine key={toast.id} toast={toast} paused={held || hidden} />
          ))}
        </ul>
      )}
    </section>
  );
}
