/** True if the element that had the focus is gone, so that Tab would start at the top of the window. */
export function focusIsLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/**
 * Moves a lost focus to the heading of a view, so that keyboards and screen readers continue at the start of the view. The first view
 * leaves the focus at the top of the window, where the link to its content is.
 * @param heading of a view that has just been rendered
 */
export function takeLostFocus(heading: HTMLElement | null): void {
  const moved = heading?.closest('main')?.dataset.moved !== undefined;
  if (moved && focusIsLost()) heading.focus({ preventScroll: true });
}

/** The same for the heading of the open view, after something above it was closed. */
export function takeLostFocusToView(): void {
  takeLostFocus(document.querySelector<HTMLElement>('main h1[tabindex]'));
}
