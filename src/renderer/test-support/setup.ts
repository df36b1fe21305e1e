import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';
import '../app/texts.ts';
import { forgetNames } from '../api/known-names.ts';
import { useMoneyForm } from '../api/money.ts';
import { usePastToasts, useToasts } from '../components/toasts/toast-store.ts';
import { i18n } from '../i18n/index.ts';
import { usePreferences } from '../lib/preferences.ts';
import { stopFakeHost } from './fake-host.ts';

// What a test looks for comes within milliseconds, on a loaded machine within seconds. The default limit is one second.
configure({ asyncUtilTimeout: 15_000 });

// A page lays out its boxes; here every box has one size, so that lists have room for rows.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => 400 });
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, get: () => 800 });

// A text area that grows measures itself again when fonts have come.
Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });

afterEach(async () => {
  cleanup();
  await i18n.changeLanguage('en');
  stopFakeHost();
  useToasts.setState({ toasts: [] });
  usePastToasts.setState({ past: [] });
  localStorage.clear();
  sessionStorage.clear();
  forgetNames();
  history.replaceState(null, '');
  useMoneyForm.setState(useMoneyForm.getInitialState(), true);
  usePreferences.setState(usePreferences.getInitialState(), true);
});
