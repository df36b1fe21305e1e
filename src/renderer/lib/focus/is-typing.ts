import type { KeyboardEvent } from 'react';

/** Whether a key event belongs to a text field. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}

/** Whether a key belongs to an input method, where Enter takes a word and Escape drops it. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing;
}
