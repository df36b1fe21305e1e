import { useEffect } from 'react';
import { focusIsLost } from './view-focus.ts';

/** What had the focus in the view last. */
interface Holder {
  readonly element: HTMLElement;
  /** The elements around it, the innermost first; the last is `main`. */
  readonly around: readonly HTMLElement[];
  /** Whether it has been disabled since, as a button is while it works, which takes the focus from it. */
  wasDisabled: boolean;
}

/** A field that lists its choices as soon as it has the focus: given back to it, the list would open over the page. */
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
 * Where the focus goes from an element that is gone: what marks itself with `data-step-start`, else the first heading, of the innermost element around
 * it that is left and has one. Where nothing of the view is left, its heading takes the focus once it is drawn.
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
 * Watches over the focus inside `main` until the component goes: a button or field that was disabled for a moment has it again, and if
 * the element that had it is gone, such as the button that led to the next step, the heading of what stands there now has it.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let holder: Holder | null = null;
    let frame: number | undefined;
    const remember = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement)) return;
      const main = target.closest('main');
      if (main !== null && target !== main) holder = holderOf(target, main);
      // From a dialog the focus comes back to the view.
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
      // A dialog or a menu that closes gives the focus back by itself first.
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
