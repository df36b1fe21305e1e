/** One size and stroke for icons beside text; hidden from assistive technology, since the text beside them speaks. */
export const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;
export const smallIcon = { ...icon, size: 15 } as const;
