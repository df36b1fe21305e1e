import { create } from 'zustand';
import { persist } from 'zustand/middleware';

/** Maximum number of toasts. A further one replaces the oldest. */
const MOST = 3;
const LASTS_MS = 8_000;

export interface Toast {
  /** A later toast with the same id replaces the earlier one. */
  readonly id: string;
  readonly tone: 'done' | 'wait' | 'fail' | 'info';
  readonly title: string;
  readonly text?: string | undefined;
  /** An action: open it, undo it, try again. The toast is closed before it runs. */
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  /** Its action undoes something. Ctrl+Z does the same. */
  readonly isUndo?: boolean | undefined;
  /** Runs when the toast closes without its action. */
  readonly onGone?: (() => void) | undefined;
  /** Milliseconds until it closes; null: it stays until it is closed. */
  readonly lastsMs: number | null;
}

/** Number of past messages that are stored. */
const MOST_PAST = 50;

type PastToast = Pick<Toast, 'id' | 'tone' | 'title' | 'text'> & { readonly at: number };

export const useToasts = create<{ readonly toasts: readonly Toast[] }>(() => ({ toasts: [] }));

/** Past messages, newest first. They are stored in this browser or window only. */
export const usePastToasts = create<{ readonly past: readonly PastToast[] }>()(
  persist((): { past: readonly PastToast[] } => ({ past: [] }), { name: 'planchet-messages' }),
);

/** What Ctrl+Z undoes in the open view if no message offers an undo. */
export const usePageUndo = create<{ run: (() => void) | undefined }>(() => ({ run: undefined }));

/**
 * Shows a short message about an event outside the open view. Events inside a view are shown there.
 * A failure stays until it is closed, and an offer to undo while its view is open. Everything else closes after eight seconds, or after
 * `lastsMs`.
 */
export function showToast(toast: Omit<Toast, 'lastsMs'> & { lastsMs?: number | null }): void {
  const added: Toast = { lastsMs: toast.tone === 'fail' ? null : LASTS_MS, ...toast };
  keep(({ toasts }) => [...toasts.filter(({ id }) => id !== added.id), added].slice(-MOST));
  const { id, tone, title, text } = added;
  const told = { id, tone, title, text, at: Date.now() };
  // Another page of this browser may have added one.
  void usePastToasts.persist.rehydrate();
  usePastToasts.setState(({ past }) => ({ past: [told, ...past].slice(0, MOST_PAST) }));
}

export function hideToast(id: string): void {
  keep(({ toasts }) => toasts.filter((toast) => toast.id !== id));
}

/** Removes the offers to undo actions of a view that was left. */
export function endUndo(): void {
  keep(({ toasts }) => toasts.filter(({ isUndo }) => !isUndo));
}

/** Closes a toast and runs its action. */
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
