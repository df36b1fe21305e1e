import { Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { failureOf } from '../../api/failure.ts';
import { Callout, FailureNote } from '../../components/page.tsx';
import { Preview } from '../../components/preview/preview.tsx';
import { Badge, Id } from '../../components/values.tsx';
import { formatBytes, formatInteger, shortenId } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import type { Origin } from './origin.ts';
import { Part } from './part.tsx';
import classes from './sheet.module.css';
import { useOrigin } from './use-origin.ts';
import wallClasses from './wall.module.css';
import type { ReceivedToken } from './wall-rules.ts';

/** The inscribed content as a file to preview; its name is what the inscription claims. */
function fileOf(token: ReceivedToken, { inscription, hops }: Origin) {
  const [first] = hops;
  if (inscription === null || first === undefined) return undefined;
  const { contentType, bytes, sha256, metadata } = inscription;
  const name = metadata.name || shortenId(token.outpoint);
  return { sha256, name, contentType, bytes, inscribedIn: { txid: first.txid, index: first.index } };
}

/** What a tile shows of a token somebody else has sent. Until its inscription is read it is untrusted, and nothing of it is shown. */
export function ReceivedTile({ token }: { token: ReceivedToken }) {
  const { t } = useTranslation();
  const origin = useOrigin(token.outpoint, token.height);
  const file = origin.data === undefined ? undefined : fileOf(token, origin.data);
  return (
    <>
      <div className={wallClasses.picture}>
        {file !== undefined ? (
          <Preview file={file} />
        ) : origin.isPending ? (
          <Skeleton height="100%" radius={0} />
        ) : (
          <div className={wallClasses.unread}>{t('tokens.received.noInscription')}</div>
        )}
      </div>
      <div className={wallClasses.state}>
        <Badge tone={file === undefined ? 'wait' : 'info'}>
          {t(file === undefined ? 'tokens.received.untrusted' : 'tokens.received.badge')}
        </Badge>
      </div>
      <div className={wallClasses.words}>
        <div className={wallClasses.name}>{file?.name ?? shortenId(token.outpoint, 6)}</div>
        <div className={wallClasses.project}>{t('tokens.received.badge')}</div>
      </div>
    </>
  );
}

function Metadata({ metadata }: { metadata: Record<string, string> }) {
  return (
    <dl className={classes.facts}>
      {Object.entries(metadata).map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A received token: its content in its frame, what it says of itself, and its way as far as it can be followed. */
export function ReceivedSheet({ token }: { token: ReceivedToken }) {
  const { t, i18n } = useTranslation();
  const origin = useOrigin(token.outpoint, token.height);
  if (origin.isError) return <FailureNote failure={failureOf(origin.error)} onRetry={() => void origin.refetch()} />;
  if (origin.data === undefined) return <Skeleton height={240} radius="md" aria-label={t('common.loading')} />;
  const { hops, inscription } = origin.data;
  const file = fileOf(token, origin.data);
  return (
    <Stack gap="lg">
      {file === undefined ? (
        <Callout tone="wait" title={t('tokens.received.untrustedTitle')}>
          {t('tokens.received.untrustedText')}
        </Callout>
      ) : (
        <>
          <div className={classes.picture}>
            <Preview file={file} full />
          </div>
          <Callout tone="info" title={t('tokens.received.readTitle')}>
            {t('tokens.received.readText')}
          </Callout>
        </>
      )}
      <Part title={t('tokens.sheet.facts')}>
        <dl className={classes.facts}>
          <dt>{t('tokens.sheet.owner')}</dt>
          <dd>
            <Id
              value={token.address}
              what={t('common.addressName')}
              to={routes.address(token.address)}
              copyAlways
              keep={8}
            />{' '}
            <Badge tone="done">{t('tokens.sheet.own')}</Badge>
          </dd>
          <dt>{t('tokens.sheet.outpoint')}</dt>
          <dd>
            <Id
              value={token.outpoint}
              what={t('common.outpointName')}
              to={routes.outpoint(token.outpoint)}
              copyAlways
              keep={8}
            />
          </dd>
          {file !== undefined && (
            <>
              <dt>{t('tokens.sheet.file')}</dt>
              <dd>{`${file.contentType}, ${formatBytes(file.bytes, i18n.language)}`}</dd>
              <dt>{t('tokens.sheet.hash')}</dt>
              <dd>
                <Id value={file.sha256} what={t('common.hashName')} copyAlways keep={8} />
              </dd>
            </>
          )}
        </dl>
      </Part>
      {inscription !== null && Object.keys(inscription.metadata).length > 0 && (
        <Part title={t('tokens.received.metadata')}>
          <Metadata metadata={inscription.metadata} />
        </Part>
      )}
      <Part title={t('tokens.sheet.provenance')}>
        <ol className={classes.steps}>
          {hops.map(({ txid, index, address, blockHeight, blockHash }, place) => (
            <li key={`${txid}_${index}`} data-now={place === hops.length - 1 || undefined}>
              <div className={classes.stepTitle}>
                {t(place === 0 && inscription !== null ? 'tokens.step.inscribed' : 'tokens.step.arrived')}
              </div>
              {address !== null && (
                <div className={classes.dim}>
                  {t('tokens.step.to')}{' '}
                  <Id value={address} what={t('common.addressName')} to={routes.address(address)} keep={6} />
                </div>
              )}
              <div className={classes.dim}>
                {blockHeight === null
                  ? t('common.state.seen')
                  : t('tokens.step.block', { height: formatInteger(blockHeight, i18n.language) })}{' '}
                {blockHash !== null && (
                  <Id value={blockHash} what={t('common.hashName')} to={routes.block(blockHash)} keep={6} />
                )}
              </div>
            </li>
          ))}
        </ol>
      </Part>
    </Stack>
  );
}
