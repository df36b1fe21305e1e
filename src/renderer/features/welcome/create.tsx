import { FileButton, Loader, UnstyledButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MintJob } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { useLive, useNetwork } from '../../api/live/live-store.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { DropAnywhere } from '../../components/drop/drop-anywhere.tsx';
import { icon } from '../../components/icon.ts';
import { Page, Panel } from '../../components/page.tsx';
import { sampleArt } from '../../components/preview/sample-art.ts';
import { useObjectUrl } from '../../components/preview/use-object-url.ts';
import { takeOver } from '../../lib/dropped-files.ts';
import { newKey } from '../../lib/new-key.ts';
import { routes } from '../../lib/routes.ts';
import {
  abandonFirstMint,
  changeFirstMint,
  type FirstMint,
  LEFT_BEHIND,
  nameOf,
  prepareFirstMint,
  sharedFirstMint,
} from './first-mint.ts';
import { holdFirstMint, whereNobodyHolds } from './hold.ts';
import { MintSteps } from './mint-steps.tsx';
import classes from './welcome.module.css';

/** Preview of the file before it is sent: pictures as pictures, text as text. */
function Picture({ file }: { file: File }) {
  const url = useObjectUrl(file, file.type);
  const [words, setWords] = useState<string>();
  const isPicture = file.type.startsWith('image/');
  useEffect(() => {
    if (!isPicture) void file.text().then(setWords);
  }, [file, isPicture]);
  if (!isPicture) return <span className={classes.words}>{words}</span>;
  return url === null ? null : <img src={url} alt="" draggable={false} />;
}

type Step = { file: File } | { change: { name?: string; file?: File } } | 'back' | 'shared';

/** From a picture to a mined token: choose it, review what will be signed, approve. Nothing unapproved is left. */
export function Create() {
  const { t } = useTranslation();
  const network = useNetwork();
  const wallet = useLive((state) => state.wallet);
  const samples = useMemo(sampleArt, []);
  const held = useRef<FirstMint>(undefined);
  // It stays visible while another one is prepared.
  const [job, setJob] = useState<MintJob | null>(null);
  const prepare = useMutation({
    mutationFn: async (step: Step) => {
      if (step === 'back') {
        if (held.current !== undefined) await abandonFirstMint(client, held.current);
        held.current = undefined;
        return null;
      }
      if (step === 'shared') {
        const shared = await sharedFirstMint(client);
        const mine = held.current?.job;
        const now = shared === undefined && mine !== undefined ? await client.mint.get({ id: mine.id }) : undefined;
        if (held.current !== undefined && now !== undefined && now.state !== 'cancelled') {
          // Approved in the other page.
          held.current.isKept = true;
          return now;
        }
        held.current = shared;
        return shared?.job ?? null;
      }
      if ('file' in step && held.current?.file !== step.file)
        held.current = {
          file: step.file,
          fileName: step.file.name,
          name: nameOf(step.file),
          idempotencyKey: newKey(),
        };
      const mint = held.current as FirstMint;
      if ('change' in step) await changeFirstMint(client, mint, step.change);
      const options = { projectName: t('welcome.create.projectName'), destination: wallet?.address ?? '' };
      return prepareFirstMint(client, mint, options);
    },
    onSuccess: setJob,
  });
  // Leaving without an approval removes the request.
  // Unless another page of this browser shows the same review.
  useEffect(() => {
    const leave = holdFirstMint();
    return () => {
      const mint = held.current;
      void leave()
        .then(() => {
          if (mint === undefined || mint.isKept === true) return;
          return whereNobodyHolds(() => abandonFirstMint(client, mint));
        })
        .catch(() => {});
    };
  }, []);
  const { mutate } = prepare;
  useEffect(() => {
    const follow = ({ key }: Pick<StorageEvent, 'key'>): void => {
      if (key === LEFT_BEHIND && held.current?.isKept !== true) mutate('shared');
    };
    if (localStorage.getItem(LEFT_BEHIND) !== null) follow({ key: LEFT_BEHIND });
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, [mutate]);
  const isPaid = wallet?.state === 'ready' && wallet.balance.spendable > 0;
  const isReady = network === 'sandbox' && isPaid;
  const dropped = useRef<readonly File[]>(undefined);
  dropped.current ??= takeOver('first-token');
  const [first] = dropped.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an earlier drop is used once, as soon as the wallet can pay.
  useEffect(() => {
    if (isReady && first !== undefined && held.current === undefined) prepare.mutate({ file: first });
  }, [isReady]);
  const mint = held.current;
  const again = prepare.variables;
  const chosen = typeof again === 'object' && 'file' in again ? again.file : undefined;
  return (
    <Page
      title={t('welcome.create.pageTitle')}
      purpose={t('welcome.create.purpose')}
      crumbs={[{ label: t('welcome.title'), to: routes.welcome }]}
    >
      {network !== 'sandbox' && <Callout tone="info" title={t('welcome.create.sandboxOnly')} />}
      {job !== null && mint?.item !== undefined ? (
        <MintSteps
          key={job.id}
          initial={job}
          item={mint.item}
          changing={prepare.isPending}
          failure={prepare.error}
          onChange={(change) => prepare.mutate({ change })}
          onBack={() => prepare.mutate('back')}
          onKept={() => {
            mint.isKept = true;
            localStorage.removeItem(LEFT_BEHIND);
          }}
        />
      ) : (
        <Panel
          title={t('welcome.create.choose')}
          hint={isReady ? t('welcome.create.chooseHint') : t('welcome.create.waiting')}
          actions={prepare.isPending || (network === 'sandbox' && !isPaid) ? <Loader size="sm" /> : undefined}
        >
          {isReady && (
            <DropAnywhere
              text={t('drop.firstToken')}
              onFiles={([file]) => file !== undefined && prepare.mutate({ file })}
            />
          )}
          {prepare.isError && again !== undefined && (
            <ErrorNote error={prepare.error} onRetry={() => prepare.mutate(again)} />
          )}
          <div className={classes.art}>
            {samples.map((file) => (
              <UnstyledButton
                key={file.name}
                className={classes.tile}
                disabled={!isReady || prepare.isPending}
                data-chosen={chosen === file || undefined}
                onClick={() => prepare.mutate({ file })}
              >
                <span className={classes.frame}>
                  <Picture file={file} />
                </span>
                {nameOf(file)}
              </UnstyledButton>
            ))}
            <FileButton onChange={(file) => file && prepare.mutate({ file })} disabled={!isReady || prepare.isPending}>
              {(props) => (
                <UnstyledButton {...props} className={classes.tile} disabled={!isReady || prepare.isPending}>
                  <span className={classes.frame} data-empty>
                    <IconUpload {...icon} size={28} />
                  </span>
                  {t('welcome.create.own')}
                </UnstyledButton>
              )}
            </FileButton>
          </div>
        </Panel>
      )}
    </Page>
  );
}
