import { basename } from 'node:path';

/**
 * Replaced texts of the components of the default theme, which nest what can be pressed or focused in what can be pressed: assistive technology
 * does not reach what is inside.
 */
const replacements: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  // A group that opens is one button, and says whether it is open. One that does not is no button.
  'VPSidebarItem.vue': [
    [
      ':role="itemRole"',
      `:role="item.collapsed == null ? undefined : itemRole" :aria-expanded="item.collapsed == null ? undefined : !collapsed"`,
    ],
    [':tabindex="item.items && 0"', ':tabindex="item.items && item.collapsed != null ? 0 : undefined"'],
    ['role="button"\n        aria-label="toggle section"', ''],
    ['@keydown.enter="onCaretClick"\n        tabindex="0"', ''],
  ],
  // A dialog, in which each result is both an option of the list and a link.
  'VPLocalSearchBox.vue': [
    ['<kbd :aria-label', '<kbd role="img" :aria-label'],
    [
      `role="button"\n      :aria-owns="results?.length ? 'localsearch-list' : undefined"\n      aria-expanded="true"\n      aria-haspopup="listbox"\n`,
      'role="dialog"\n      aria-modal="true"\n',
    ],
    [
      `:id="'localsearch-item-' + index"\n            :aria-selected="selectedIndex === index ? 'true' : 'false'"\n            role="option"`,
      'role="presentation"',
    ],
    [
      'class="result"\n              :class="{',
      `:id="'localsearch-item-' + index"\n              role="option"\n              :aria-selected="selectedIndex === index ? 'true' : 'false'"\n              class="result"\n              :class="{`,
    ],
  ],
};

/** Makes the components of the default theme accessible. Fails if a component has changed, so that an update of it is noticed. */
export function accessibleTheme() {
  return {
    name: 'accessible-theme',
    enforce: 'pre' as const,
    transform(code: string, id: string): string | undefined {
      const texts = replacements[basename(id)];
      if (texts === undefined) return undefined;
      return texts.reduce(
        (text, [from, to]) => {
          if (!text.includes(from)) throw new Error(`${basename(id)} no longer has: ${from}`);
          return text.replaceAll(from, () => to);
        },
        code.replaceAll('\r\n', '\n'),
      );
    },
  };
}
