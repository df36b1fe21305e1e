import { useEffect } from 'react';
import { focusIsLost } from './view-focus.ts';

/** The element of the view that last had the focus. */
interface Holder {
  readonly element: HTMLElement;
  /** Its ancestors, innermost first; the last is `main`. */
  readonly around: readonly HTMLElement[];
  /** Whether it was disabled afterwards, as a button is while it works, which removes the focus. */
  wasDisabled: boolean;
}

/** A field that opens its list on focus. Restoring its focus would open the list over the page. */
const OPENS_WITH_FOCUS = 'input[aria-haspopup="listbox"]';

function holderOf(element: HTMLElement, main: Element): Holder {
  const around: HTMLElement[] = [];
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    around.push(outer);
    if (outer === main) break;
  }
  return { element, around, wasDisabled: false };
}

/**
 * Focus target after an element was removed: in the innermost remaining ancestor that has one, the element with `data-step-start`, else the
 * first heading. If nothing of the view remains, its heading takes the focus once it is rendered.
 */
function successorOf({ around }: Holder): HTMLElement | null {
  const main = around.at(-1);
  for (const outer of around) {
    if (!outer.isConnected) continue;
    if (outer === main) break;
    const heading = outer.querySelector<HTMLElement>('[data-step-start]') ?? outer.querySelector<HTMLElement>('h2, h3');
    if (heading !== null) return heading;
  }
  return main?.querySelector<HTMLElement>('h1[tabindex]') ?? null;
}

/**
 * Keeps the focus inside `main` until the component unmounts. A button or field that was disabled for a moment gets the focus back. If the
 * focused element was removed, such as the button that led to the next step, the new heading takes the focus.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let holder: Holder | null = null;
    let frame: number | undefined;
    const remember = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement)) return;
      const main = target.closest('main');
      if (main !== null && target !== main) holder = holderOf(target, main);
      // From a dialog the focus returns to the view.
      else if (target.closest('[data-portal]') === null) holder = null;
    };
    const restore = (): void => {
      frame = undefined;
      if (holder === null) return;
      const { element, wasDisabled } = holder;
      if (element.isConnected && (!wasDisabled || element.matches(':disabled'))) return;
      if (focusIsLost() && !(element.isConnected && element.matches(OPENS_WITH_FOCUS))) {
        const next = element.isConnected ? element : successorOf(holder);
        if (next !== element && next?.hasAttribute('tabindex') === false) next.tabIndex = -1;
        next?.focus({ preventScroll: true });
      }
      holder.wasDisabled = false;
    };
    const observer = new MutationObserver(() => {
      if (holder?.element.matches(':disabled')) holder.wasDisabled = true;
      // A dialog or a menu that closes restores the focus itself first.
      frame ??= requestAnimationFrame(restore);
    });
    document.addEventListener('focusin', remember);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      document.removeEventListener('focusin', remember);
      observer.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, []);
}
