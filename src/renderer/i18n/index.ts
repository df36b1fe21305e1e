import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next';
import app from './en/app.json' with { type: 'json' };
import common from './en/common.json' with { type: 'json' };
import dashboard from './en/dashboard.json' with { type: 'json' };
import explorer from './en/explorer.json' with { type: 'json' };
import failure from './en/failure.json' with { type: 'json' };
import gateway from './en/gateway.json' with { type: 'json' };
import jobs from './en/jobs.json' with { type: 'json' };
import mint from './en/mint.json' with { type: 'json' };
import projects from './en/projects.json' with { type: 'json' };
import review from './en/review.json' with { type: 'json' };
import sandbox from './en/sandbox.json' with { type: 'json' };
import settings from './en/settings.json' with { type: 'json' };
import tokenBench from './en/token-bench.json' with { type: 'json' };
import transactions from './en/transactions.json' with { type: 'json' };
import writer from './en/writer.json' with { type: 'json' };

/** One tree a language: the first part of a key is the file it stands in. English is what every other language is measured by. */
export const en = {
  app,
  common,
  dashboard,
  explorer,
  failure,
  gateway,
  jobs,
  mint,
  projects,
  review,
  sandbox,
  settings,
  tokenBench,
  transactions,
  writer,
};

export const i18n = createInstance();

void i18n.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  // React escapes what it renders.
  interpolation: { escapeValue: false },
  initAsync: false,
});
