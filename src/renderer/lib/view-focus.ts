/** True where the element that had the focus is gone, so that Tab would begin at the top of the window. */
export function focusIsLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/**
 * Gives a focus that was lost to the heading of a view, so that a keyboard or a screen reader goes on where the view begins. The first view
 * leaves the focus at the top of the window, where the link to its content is.
 * @param heading of a view that has just been drawn
 */
export function takeLostFocus(heading: HTMLElement | null): void {
  const moved = heading?.closest('main')?.dataset.moved !== undefined;
  if (moved && focusIsLost()) heading.focus({ preventScroll: true });
}

/** The same for the heading of the open view, after something above it has closed. */
export function takeLostFocusToView(): void {
  takeLostFocus(document.querySelector<HTMLElement>('main h1[tabindex]'));
}
