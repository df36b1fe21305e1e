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
  const tip = useLive((state) => state.tip?.height);

  const navigate = (to: string): void => go(to, { replace: asked !== '' });

  /** Goes to the page of what is asked for. @returns whether there is such a thing */
  async function opens<T>(asked: Promise<T>, routeOf: (found: T) => string): Promise<boolean> {
    try {
      navigate(routeOf(await asked));
      return true;
    } catch (error) {
      if (failureOf(error).code !== 'not-found') throw error;
      return false;
    }
  }

  const find = async (what: string): Promise<Answer | undefined> => {
    const sought = readSought(what);
    switch (sought.kind) {
      case 'height':
        if (await opens(client.explorer.blockAt(sought), ({ hash }) => routes.block(hash))) return undefined;
        return {
          tone: 'wait',
          title: t('explorer.noHeight'),
          text: t('explorer.noHeightHint', { height: formatInteger(tip ?? 0, i18n.language) }),
        };
      case 'hash':
        if (await opens(client.explorer.block(sought), ({ hash }) => routes.block(hash))) return undefined;
        return openTransaction(sought.hash);
      case 'outpoint':
        return openTransaction(sought.txid, routes.outpoint(`${sought.txid}_${sought.index}`));
      case 'address': {
        const { valid, failure } = await client.wallet.validateAddress({ address: sought.address });
        if (!valid) {
          const text = failure === null ? t('explorer.unclearHint') : inPageLanguage(failure).message;
          return { tone: 'wait', title: t('explorer.noAddress'), text };
        }
        navigate(routes.address(sought.address));
        return undefined;
      }
      case 'unclear':
        return { tone: 'wait', title: t('explorer.unclear'), text: t('explorer.unclearHint') };
    }
  };

  const openTransaction = async (txid: string, route = routes.transaction(txid)): Promise<Answer | undefined> => {
    if (await opens(client.transactions.get({ txid }), () => route)) return undefined;
    return { tone: 'wait', title: t('explorer.notFound'), text: t('explorer.notFoundHint') };
  };

  const submit = async (what = text): Promise<void> => {
    setBusy(true);
    setAnswer(undefined);
    setAnswer(await find(what).catch((error: unknown) => ({ failure: failureOf(error) })));
    setBusy(false);
  };

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
