import type { Theme } from 'vitepress';
// The fonts of Google's servers stay out: the site has to work without a network.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import './site.css';

/** The default look, with a way back to the application. */
const theme: Theme = {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-content-before': () => h('a', { class: 'to-application', href: '/', target: '_self' }, 'Open Planchet'),
    }),
};

export default theme;
