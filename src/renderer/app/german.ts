import { germanCodes, germanErrors } from '../../contract/errors/de/index.ts';
import phrases from '../../contract/phrases/de.json' with { type: 'json' };
import { phraseTexts } from '../../contract/phrases/en.ts';
import sentences from '../../contract/phrases/sentences.de.json' with { type: 'json' };
import { sentenceReader } from '../../contract/phrases/sentences.ts';
import approvals from '../features/approvals/de.json' with { type: 'json' };
import dashboard from '../features/dashboard/de.json' with { type: 'json' };
import errorHelp from '../features/error-help/de.json' with { type: 'json' };
import explorer from '../features/explorer/de.json' with { type: 'json' };
import transactions from '../features/explorer/transaction/de.json' with { type: 'json' };
import gateway from '../features/gateway/de.json' with { type: 'json' };
import help from '../features/help/de.json' with { type: 'json' };
import miners from '../features/miners/de.json' with { type: 'json' };
import mint from '../features/mint/de.json' with { type: 'json' };
import jobs from '../features/mint/jobs/de.json' with { type: 'json' };
import rehearsal from '../features/mint/rehearsal/de.json' with { type: 'json' };
import run from '../features/mint/run/de.json' with { type: 'json' };
import networks from '../features/networks/de.json' with { type: 'json' };
import projects from '../features/projects/de.json' with { type: 'json' };
import importTexts from '../features/projects/import/de.json' with { type: 'json' };
import redeemableTokens from '../features/redeemable-tokens/de.json' with { type: 'json' };
import sandbox from '../features/sandbox/de.json' with { type: 'json' };
import sessions from '../features/sessions/de.json' with { type: 'json' };
import settings from '../features/settings/de.json' with { type: 'json' };
import tokens from '../features/tokens/de.json' with { type: 'json' };
import submitted from '../features/transactions/de.json' with { type: 'json' };
import wallet from '../features/wallet/de.json' with { type: 'json' };
import welcome from '../features/welcome/de.json' with { type: 'json' };
import writer from '../features/writer/de.json' with { type: 'json' };
import common from '../i18n/de/common.json' with { type: 'json' };
import failure from '../i18n/de/failure.json' with { type: 'json' };
import review from '../i18n/de/review.json' with { type: 'json' };
import services from '../i18n/de/services.json' with { type: 'json' };
import { addErrorTexts } from '../i18n/errors.ts';
import { addTexts, type Texts } from '../i18n/index.ts';
import { addPhrases } from '../i18n/phrases.ts';
import { formatInteger } from '../lib/format.ts';
import app from './de.json' with { type: 'json' };

/** All German texts of the page, in one file that is loaded where German is shown. scripts/german.test.ts names keys that are missing. */
const german: { readonly [Key in keyof Texts]?: object } = {
  common,
  failure,
  review,
  services,
  app,
  approvals,
  sessions,
  dashboard,
  errorHelp,
  explorer,
  transactions,
  gateway,
  help,
  miners,
  mint,
  jobs,
  rehearsal,
  run,
  networks,
  projects,
  import: importTexts,
  sandbox,
  settings,
  redeemableTokens,
  tokens,
  submitted,
  wallet,
  welcome,
  writer,
};

export function addGerman(): void {
  addTexts({ ...german }, 'de');
  // A part of a sentence that starts with a placeholder fits too much.
  const ofPhrases = Object.entries(phraseTexts)
    .filter(([key, english]) => !key.startsWith('review.word.') || !english.startsWith('{'))
    .map(([key, english]) => [english, phrases[key as keyof typeof phrases]]);
  const say = sentenceReader({ ...sentences, ...Object.fromEntries(ofPhrases) }, (value) => formatInteger(value, 'de'));
  addErrorTexts('de', germanErrors, germanCodes, say);
  addPhrases('de', phrases);
}
