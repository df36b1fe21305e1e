import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';
import '../app/texts.ts';
import { forgetNames } from '../api/known-names.ts';
import { useMoneyForm } from '../api/money.ts';
import { usePastToasts, useToasts } from '../components/toasts/toast-store.ts';
import { i18n } from '../i18n/index.ts';
import { usePreferences } from '../lib/preferences.ts';
import { useRecent } from '../lib/recent.ts';
import { stopFakeHost } from './fake-host.ts';

// Elements appear within milliseconds, or within seconds on a loaded machine. The default limit is one second.
configure({ asyncUtilTimeout: 15_000 });

// There is no layout in tests. Every box has one size, so that lists have room for rows.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => 400 });
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, get: () => 800 });

// A text area that grows measures itself again after fonts have loaded.
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
  useRecent.setState(useRecent.getInitialState(), true);
});
