import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import { type Theme, withBase } from 'vitepress';
// The fonts of Google's servers stay out: the site has to work without a network, with those of the application.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import './site.css';

/** The default look with the application's type and colours, and a way back to it. */
const theme: Theme = {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'not-found': () =>
        h('main', { class: 'not-found' }, [
          h('h1', 'There is no such page'),
          h('p', 'It may have moved with a new version. Search for what you need, or start from the first page.'),
          h('a', { href: withBase('/') }, 'To the first page of the documents'),
        ]),
      'nav-bar-content-before': () => h('a', { class: 'to-application', href: '/', target: '_self' }, 'Open Planchet'),
    }),
};

export default theme;
