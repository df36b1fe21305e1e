import { Button, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'wouter';
import type { Failure } from '../../../contract/index.ts';
import { readSought } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../components/forms/form-submit.ts';
import { smallIcon } from '../../components/icon.ts';
import { inPageLanguage } from '../../i18n/errors.ts';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import classes from './explorer.module.css';

type Answer = { tone: 'wait'; title: string; text?: string } | { failure: Failure };

/** Finds a block or a transaction by whatever is pasted, and says why where there is nothing to open. */
export function Search() {
  const { t, i18n } = useTranslation();
  const [, go] = useLocation();
  const [wanted] = useSearchParams();
  const asked = wanted.get('find') ?? '';
  const [text, setText] = useState(asked);
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const latest = useRef<symbol>(undefined);
  const tip = useLive((state) => state.tip?.height);

  const navigate = (to: string): void => go(to, { replace: asked !== '' });

  /** The page of what is asked for; undefined if there is no such thing. */
  async function pageOf<T>(asked: Promise<T>, routeOf: (found: T) => string): Promise<string | undefined> {
    try {
      return routeOf(await asked);
    } catch (error) {
      if (failureOf(error).code !== 'not-found') throw error;
      return undefined;
    }
  }

  const find = async (what: string): Promise<Answer | string> => {
    const sought = readSought(what);
    switch (sought.kind) {
      case 'height':
        return (
          (await pageOf(client.explorer.blockAt(sought), ({ hash }) => routes.block(hash))) ?? {
            tone: 'wait',
            title: t('explorer.noHeight'),
            text: t('explorer.noHeightHint', { height: formatInteger(tip ?? 0, i18n.language) }),
          }
        );
      case 'hash':
        return (
          (await pageOf(client.explorer.block(sought), ({ hash }) => routes.block(hash))) ??
          findTransaction(sought.hash)
        );
      case 'outpoint':
        return findTransaction(sought.txid, routes.outpoint(`${sought.txid}_${sought.index}`));
      case 'address': {
        const { valid, failure } = await client.wallet.validateAddress({ address: sought.address });
        if (!valid) {
          const text = failure === null ? t('explorer.unclearHint') : inPageLanguage(failure).message;
          return { tone: 'wait', title: t('explorer.noAddress'), text };
        }
        return routes.address(sought.address);
      }
      case 'unclear':
        return { tone: 'wait', title: t('explorer.unclear'), text: t('explorer.unclearHint') };
    }
  };

  const findTransaction = async (txid: string, route = routes.transaction(txid)): Promise<Answer | string> =>
    (await pageOf(client.transactions.get({ txid }), () => route)) ?? {
      tone: 'wait',
      title: t('explorer.notFound'),
      text: t('explorer.notFoundHint'),
    };

  const submit = async (what = text): Promise<void> => {
    const own = Symbol();
    latest.current = own;
    setBusy(true);
    setAnswer(undefined);
    const found = await find(what).catch((error: unknown) => ({ failure: failureOf(error) }));
    // Another search was begun, or the page was left.
    if (latest.current !== own) return;
    setBusy(false);
    if (typeof found === 'string') navigate(found);
    else setAnswer(found);
  };
  useEffect(
    () => () => {
      latest.current = undefined;
    },
    [],
  );

  // A hash that was clicked is looked for at once, and its page takes the place of the search.
  const start = useRef(submit);
  start.current = submit;
  useEffect(() => {
    if (asked === '') return;
    setText(asked);
    void start.current(asked);
  }, [asked]);

  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: the search element holds a form, and this form is the search. */}
      <form role="search" className={classes.search} onSubmit={formSubmit(() => submit())}>
        <TextInput
          className={classes.grow}
          aria-label={t('explorer.search')}
          placeholder={t('explorer.search')}
          leftSection={<IconSearch {...smallIcon} />}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy} disabled={text.trim() === ''}>
          {t('explorer.find')}
        </Button>
      </form>
      {answer !== undefined &&
        ('failure' in answer ? (
          <FailureNote failure={answer.failure} onRetry={() => void submit()} />
        ) : (
          <Callout tone={answer.tone} role="status" title={answer.title}>
            {answer.text}
          </Callout>
        ))}
    </>
  );
}
