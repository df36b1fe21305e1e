import { FileButton, Loader, UnstyledButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useLive, useNetwork } from '../../api/live/live-store.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Page, Panel } from '../../components/page.tsx';
import { sampleArt } from '../../components/preview/sample-art.ts';
import { useObjectUrl } from '../../components/preview/use-object-url.ts';
import { routes } from '../../lib/routes.ts';
import { type FirstMint, nameOf, prepareFirstMint } from './first-mint.ts';
import { MintSteps } from './mint-steps.tsx';
import classes from './welcome.module.css';

/** Where the file stands ready in the page: pictures as they are, text as its words. */
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

/** From a picture to a mined token: choose it, read what will be signed, approve. */
export function Create() {
  const { t } = useTranslation();
  const network = useNetwork();
  const wallet = useLive((state) => state.wallet);
  const samples = useMemo(sampleArt, []);
  const held = useRef<FirstMint>(undefined);
  const prepare = useMutation({
    mutationFn: async (file: File) => {
      if (held.current?.file !== file) held.current = { file, idempotencyKey: crypto.randomUUID() };
      const options = { projectName: t('welcome.create.projectName'), destination: wallet?.address ?? '' };
      return prepareFirstMint(client, held.current, options);
    },
  });
  const isPaid = wallet?.state === 'ready' && wallet.balance.spendable > 0;
  const isReady = network === 'sandbox' && isPaid;
  const item = held.current?.item;
  return (
    <Page
      title={t('welcome.create.pageTitle')}
      purpose={t('welcome.create.purpose')}
      crumbs={[{ label: t('welcome.title'), to: routes.welcome }]}
    >
      {network !== 'sandbox' && <Callout tone="info" title={t('welcome.create.sandboxOnly')} />}
      {prepare.data !== undefined && item !== undefined ? (
        <MintSteps id={prepare.data.id} initial={prepare.data} item={item} />
      ) : (
        <Panel
          title={t('welcome.create.choose')}
          hint={isReady ? t('welcome.create.chooseHint') : t('welcome.create.waiting')}
          actions={prepare.isPending || (network === 'sandbox' && !isPaid) ? <Loader size="sm" /> : undefined}
        >
          {prepare.isError && prepare.variables !== undefined && (
            <FailureNote failure={failureOf(prepare.error)} onRetry={() => prepare.mutate(prepare.variables as File)} />
          )}
          <div className={classes.art}>
            {samples.map((file) => (
              <UnstyledButton
                key={file.name}
                className={classes.tile}
                disabled={!isReady || prepare.isPending}
                data-chosen={prepare.variables === file || undefined}
                onClick={() => prepare.mutate(file)}
              >
                <span className={classes.frame}>
                  <Picture file={file} />
                </span>
                {nameOf(file)}
              </UnstyledButton>
            ))}
            <FileButton onChange={(file) => file && prepare.mutate(file)} disabled={!isReady || prepare.isPending}>
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
