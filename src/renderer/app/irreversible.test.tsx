import { expect, it } from 'vitest';
import german from '../../contract/languages/de/catalogue.ts';
import { i18n } from '../i18n/index.ts';
import { addLanguage } from '../i18n/languages.ts';
import '../features/projects/import/texts.ts';

/** The texts next to buttons whose effect cannot be undone. */
const irreversible = [
  'approvals.yes.send',
  'approvals.yes.sendWithFee',
  'approvals.permissionsHint',
  'gateway.rotateKeyText',
  'gateway.rotateText',
  'import.discardText',
  'mint.approveHint',
  'projects.outputs.removeText',
  'run.approveHint',
  'sandbox.removeText',
  'sessions.endOthersMeans',
  'redeemableTokens.job.approveHint',
  'tokens.send.approveHint',
  'submitted.submit.purpose',
  'wallet.accounts.remove.text.key',
  'wallet.accounts.remove.text.seed',
  'wallet.payment.approveHint',
  'wallet.payment.approveHints',
  'writer.keys.revokeText',
] as const;

it.each(irreversible)('the confirmation of %s says in both languages that it cannot be undone', (key) => {
  addLanguage('de', german);
  expect(i18n.t(key, { lng: 'en', count: 1 })).toMatch(/cannot be (undone|taken back|brought back)/);
  expect(i18n.t(key, { lng: 'de', count: 1 })).toMatch(/nicht (rückgängig|zurück|wiederherstellen)/);
});
