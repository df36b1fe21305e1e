/** Size and stroke of icons next to text. They are hidden from screen readers, which read the text. */
export const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;
export const smallIcon = { ...icon, size: 15 } as const;
