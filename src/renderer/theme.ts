import {
  type CheckboxProps,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  Menu,
  Modal,
  Popover,
  type RadioIndicatorProps,
  type RadioProps,
  Tooltip,
} from '@mantine/core';

/** Accent colour: shade 6 is used on light, 4 on dark; 7 is dark enough for white text (5.2 : 1). */
const copper: MantineColorsTuple = [
  '#fdf5ee',
  '#f9e8d9',
  '#f2d0b0',
  '#e9b585',
  '#e09a5f',
  '#cb8045',
  '#b4692e',
  '#9c5722',
  '#82481b',
  '#643614',
];

const gray: MantineColorsTuple = [
  '#faf9f7',
  '#f4f2ee',
  '#eae7e1',
  '#dfdbd4',
  '#cec9c0',
  '#aea79d',
  '#888177',
  '#655f56',
  '#48433c',
  '#2b2824',
];

const dark: MantineColorsTuple = [
  '#e6e2dc',
  '#c9c4bc',
  '#a8a299',
  '#7b756d',
  '#45413c',
  '#37332f',
  '#2b2825',
  '#211f1c',
  '#191715',
  '#100f0e',
];

export const theme = createTheme({
  primaryColor: 'copper',
  primaryShade: { light: 7, dark: 4 },
  colors: { copper, gray, dark },
  // The accent is dark on light and light on dark, so the text on it depends on the scheme: see the token.
  variantColorResolver: (input) => {
    // White on the usual red is too faint.
    const isRed = input.variant === 'filled' && input.color === 'red';
    const colors = defaultVariantColorsResolver(isRed ? { ...input, color: 'red.9' } : input);
    const onAccent = input.variant === 'filled' && (input.color === undefined || input.color === 'copper');
    return onAccent ? { ...colors, color: 'var(--pl-on-accent)' } : colors;
  },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'md',
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '1.3' },
      h2: { fontSize: '16px', lineHeight: '1.4' },
      h3: { fontSize: '14px', lineHeight: '1.45' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Components of some views only are given by name, since an import would load them at the start.
    Checkbox: { defaultProps: { radius: 'xs', iconColor: 'var(--pl-on-accent)' } satisfies CheckboxProps },
    // By default an empty element takes the focus, which a menu must not contain. The first item takes it instead.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } },
      styles: { title: { fontSize: 'var(--mantine-font-size-lg)', fontWeight: 620 } },
    }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md', withArrow: false } }),
    Radio: { defaultProps: { iconColor: 'var(--pl-on-accent)' } satisfies RadioProps },
    RadioIndicator: { defaultProps: { iconColor: 'var(--pl-on-accent)' } satisfies RadioIndicatorProps },
    Stepper: { vars: () => ({ root: { '--stepper-icon-color': 'var(--pl-on-accent)' } }) },
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 250, multiline: true, maw: 560 } }),
  },
});

/** Variables of our own styles. Both schemes are in one place, so that a colour is changed once. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': gray[9],
    '--mantine-color-dimmed': gray[7],
    '--mantine-color-placeholder': '#736c62',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-default-border': gray[3],
    '--mantine-color-default-color': gray[9],
    '--pl-skeleton': gray[2],
    '--pl-canvas': gray[0],
    '--pl-surface': '#ffffff',
    '--pl-sunken': gray[1],
    '--pl-border': gray[3],
    '--pl-hover': gray[1],
    '--pl-accent': copper[6],
    '--pl-on-accent': '#ffffff',
    '--pl-accent-text': copper[7],
    '--pl-accent-soft': copper[0],
    '--pl-done': '#2f7d4a',
    '--pl-done-text': '#23653a',
    '--pl-done-soft': '#e9f4ec',
    '--pl-wait': '#b7791f',
    '--pl-wait-text': '#80500b',
    '--pl-wait-soft': '#fbf2df',
    '--pl-fail': '#c8372d',
    '--pl-fail-text': '#a62219',
    '--pl-fail-soft': '#fcecea',
    '--pl-info': '#2f6fb0',
    '--pl-info-text': '#245a92',
    '--pl-info-soft': '#e9f1f9',
    // The colours of the networks do not depend on the accent. The badge and the line at the top of the window use them.
    '--pl-sandbox': '#0f766e',
    '--pl-private': '#2b5fa8',
    '--pl-test': '#6d3fc8',
    '--pl-main': '#9c5722',
    '--pl-checker': '#eeebe6',
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#958f86',
    '--mantine-color-error': '#ff8f85',
    '--mantine-color-default-border': dark[5],
    '--mantine-color-default-color': dark[0],
    '--pl-skeleton': dark[6],
    '--pl-canvas': dark[8],
    '--pl-surface': dark[7],
    '--pl-sunken': '#1c1a18',
    '--pl-border': dark[5],
    '--pl-hover': dark[6],
    '--pl-accent': copper[4],
    '--pl-on-accent': '#24150a',
    '--pl-accent-text': '#e8ab77',
    '--pl-accent-soft': '#33261b',
    '--pl-done': '#57b67a',
    '--pl-done-text': '#7fd09c',
    '--pl-done-soft': '#1d2c22',
    '--pl-wait': '#dba545',
    '--pl-wait-text': '#e8bd6c',
    '--pl-wait-soft': '#30281a',
    '--pl-fail': '#ef6a5f',
    '--pl-fail-text': '#ff938a',
    '--pl-fail-soft': '#361f1d',
    '--pl-info': '#6ba6e0',
    '--pl-info-text': '#8fbdea',
    '--pl-info-soft': '#1c2732',
    '--pl-sandbox': '#4fd1c0',
    '--pl-private': '#86b6f2',
    '--pl-test': '#b79bf5',
    '--pl-main': '#e09a5f',
    '--pl-checker': '#2b2825',
  },
});
