import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** As many as are shown at once; a further one takes the place of the oldest. */
const MOST = 3;
const LASTS_MS = 8_000;

export interface Toast {
  /** A later toast of the same id takes the place of the earlier one. */
  readonly id: string;
  readonly tone: 'done' | 'wait' | 'fail' | 'info';
  readonly title: string;
  readonly text?: string | undefined;
  /** What the person can do about it: open it, undo it, try again. The toast is closed before it runs. */
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  /** Its action takes back what was done, which Ctrl+Z does as well. */
  readonly isUndo?: boolean | undefined;
  /** Runs when the toast goes and its action was not taken. */
  readonly onGone?: (() => void) | undefined;
  /** Milliseconds until it goes by itself; null: it stays until it is closed. */
  readonly lastsMs: number | null;
}

/** Messages that can be read again, also after a reload. */
const MOST_PAST = 50;

type PastToast = Pick<Toast, 'id' | 'tone' | 'title' | 'text'> & { readonly at: number };

export const useToasts = create<{ readonly toasts: readonly Toast[] }>(() => ({ toasts: [] }));

/** What was shown last in this browser or window, the newest first. It never leaves it. */
export const usePastToasts = create<{ readonly past: readonly PastToast[] }>()(
  persist((): { past: readonly PastToast[] } => ({ past: [] }), { name: 'planchet-messages' }),
);

/** What the open view takes back at Ctrl+Z, where no message offers anything. */
export const usePageUndo = create<{ run: (() => void) | undefined }>(() => ({ run: undefined }));

/**
 * Shows a short message about something that happened elsewhere than in the open view; what happened there is shown there.
 * A failure stays until it is closed and an offer to undo while its view is open; everything else goes after eight seconds, or what `lastsMs`
 * says.
 */
export function showToast(toast: Omit<Toast, 'lastsMs'> & { lastsMs?: number | null }): void {
  const added: Toast = { lastsMs: toast.tone === 'fail' ? null : LASTS_MS, ...toast };
  keep(({ toasts }) => [...toasts.filter(({ id }) => id !== added.id), added].slice(-MOST));
  const { id, tone, title, text } = added;
  const told = { id, tone, title, text, at: Date.now() };
  // Another page of this browser may have told something meanwhile.
  void usePastToasts.persist.rehydrate();
  usePastToasts.setState(({ past }) => ({ past: [told, ...past].slice(0, MOST_PAST) }));
}

export function hideToast(id: string): void {
  keep(({ toasts }) => toasts.filter((toast) => toast.id !== id));
}

/** Ends the offers to undo what was done in a view that was left. */
export function endUndo(): void {
  keep(({ toasts }) => toasts.filter(({ isUndo }) => !isUndo));
}

/** Closes a toast and does what it offers. */
export function takeAction({ id, action }: Toast): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
  action?.run();
}

function keep(choose: (state: { readonly toasts: readonly Toast[] }) => readonly Toast[]): void {
  const before = useToasts.getState();
  const toasts = choose(before);
  useToasts.setState({ toasts });
  for (const toast of before.toasts) if (!toasts.includes(toast)) toast.onGone?.();
}
