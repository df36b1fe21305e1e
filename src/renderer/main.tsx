import './lib/nonce.ts';
import './app/no-eval.ts';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.layer.css';
import '@mantine/charts/styles.layer.css';
import '@mantine/dropzone/styles.layer.css';
import './app/global.css';
import './app/texts.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startLanguage } from './app/language.ts';
import { i18n } from './i18n/index.ts';
import { prepareFormats } from './lib/format.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element.');
void startLanguage().finally(() => {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
  // Runs while the host's first reply is pending.
  prepareFormats(i18n.language);
});
