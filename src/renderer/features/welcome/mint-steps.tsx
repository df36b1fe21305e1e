import { Anchor, Button, FileButton, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowLeft, IconCircleCheck, IconPencilCheck, IconPhoto, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Item, type MintJob, mintStates } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useExactMoney } from '../../api/money.ts';
import { ErrorNote, FailureNote } from '../../components/callouts/failure-note.tsx';
import { Failures } from '../../components/callouts/failures.tsx';
import { icon, smallIcon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import { hasPlayer } from '../../components/preview/players.tsx';
import { Preview } from '../../components/preview/preview.tsx';
import { Checks } from '../../components/review/checks.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import classes from './welcome.module.css';

interface MintStepsProps {
  initial: MintJob;
  item: Item;
  /** Whether another review is being prepared. */
  changing: boolean;
  failure: Error | null;
  onChange: (change: { name?: string; file?: File }) => void;
  onBack: () => void;
  /** Called after the approval. The mint then continues even if the person leaves the page. */
  onKept: () => void;
}

/** The steps after the choice of a file: the review with its approval, the progress to a block, the token with its proof. */
export function MintSteps({ initial, item, changing, failure, onChange, onBack, onKept }: MintStepsProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id } = initial;
  // Fetched again at once: events from before this was rendered did not reach it.
  const now = { ...api.mint.get.queryOptions({ input: { id } }), initialData: initial, initialDataUpdatedAt: 0 };
  const job = useQuery(now).data;
  const onSuccess = (next: MintJob): void => {
    queries.setQueryData(api.mint.get.queryKey({ input: { id } }), next);
  };
  const approve = useMutation(api.mint.approve.mutationOptions({ onSuccess, onMutate: onKept }));
  const retry = useMutation(api.mint.retry.mutationOptions({ onSuccess }));
  const [typed, setTyped] = useState(item.metadata.name);
  const isNamed = typed.trim() === item.metadata.name;
  const isOpen = !mintStates.is(job.state, 'signed') && !approve.isPending;
  return (
    <Panel>
      <div className={classes.mint}>
        <Stack gap="xs">
          <div className={classes.picture}>
            <Preview file={item.file} full={hasPlayer(item.file)} />
          </div>
          {isOpen && (
            <FileButton onChange={(file) => file && onChange({ file })} disabled={changing}>
              {(props) => (
                <Button {...props} variant="default" size="xs" leftSection={<IconPhoto {...smallIcon} />}>
                  {t('welcome.create.otherPicture')}
                </Button>
              )}
            </FileButton>
          )}
        </Stack>
        <Stack gap="sm" style={{ minWidth: 0 }}>
          {isOpen ? (
            <Name
              typed={typed}
              isOther={!isNamed && typed.trim() !== ''}
              disabled={changing}
              onTyped={setTyped}
              onName={() => onChange({ name: typed.trim() })}
            />
          ) : (
            <strong className={classes.name}>{item.metadata.name}</strong>
          )}
          <ErrorNote error={failure} />
          <Failures of={[approve, retry]} />
          {job.failure !== null && !changing && (
            <FailureNote
              failure={job.failure}
              tone={job.active ? 'wait' : 'fail'}
              retrying={retry.isPending}
              {...(job.canRetry ? { onRetry: () => retry.mutate({ id }) } : {})}
            />
          )}
          <Stage
            job={job}
            approve={(digest) => approve.mutate({ id, digest })}
            isApproving={approve.isPending}
            changing={changing}
            isNamed={isNamed}
            onKept={onKept}
          />
          {isOpen && (
            <Group>
              <Button
                variant="subtle"
                color="gray"
                size="compact-sm"
                leftSection={<IconArrowLeft {...smallIcon} />}
                disabled={changing}
                onClick={onBack}
              >
                {t('welcome.create.back')}
              </Button>
            </Group>
          )}
        </Stack>
      </div>
    </Panel>
  );
}

interface NameProps {
  typed: string;
  /** Whether the typed name differs from the reviewed one. */
  isOther: boolean;
  disabled: boolean;
  onTyped: (name: string) => void;
  onName: () => void;
}

/** The name to inscribe. A changed name needs a new review. */
function Name({ typed, isOther, disabled, onTyped, onName }: NameProps) {
  const { t } = useTranslation();
  return (
    <form
      className={classes.rename}
      onSubmit={(event) => {
        event.preventDefault();
        if (isOther) onName();
      }}
    >
      <TextInput
        label={t('welcome.create.name')}
        maxLength={120}
        value={typed}
        disabled={disabled}
        onChange={(event) => onTyped(event.currentTarget.value)}
      />
      {isOther && (
        <Button type="submit" variant="default" loading={disabled}>
          {t('welcome.create.rename')}
        </Button>
      )}
    </form>
  );
}

interface StageProps {
  job: MintJob;
  approve: (digest: string) => void;
  isApproving: boolean;
  changing: boolean;
  /** Whether the typed name is the one to be signed. */
  isNamed: boolean;
  onKept: () => void;
}

function Stage({ job, approve, isApproving, changing, isNamed, onKept }: StageProps) {
  const { t } = useTranslation();
  const money = useExactMoney();
  const { review } = job;
  if (mintStates.is(job.state, 'mined')) return <Done job={job} />;
  if (job.awaitingApproval && review !== null && !changing) {
    return (
      <>
        <Text>
          {t('welcome.create.review', { fee: money(review.fee) })}{' '}
          <Anchor component={Link} href={routes.mintJob(job.projectUid, job.id)} onClick={onKept} underline="always">
            {t('welcome.create.fields')}
          </Anchor>
        </Text>
        <Checks checks={review.checks} />
        <Group>
          <Button
            leftSection={<IconPencilCheck {...icon} />}
            disabled={!job.canApprove || !isNamed}
            loading={isApproving}
            onClick={() => approve(review.digest)}
          >
            {t('welcome.create.approve')}
          </Button>
        </Group>
      </>
    );
  }
  if (job.failure !== null && !job.active && !changing) return null;
  return (
    <Group gap="xs" role="status">
      <Loader size="xs" />
      {t(review === null || changing ? 'welcome.create.building' : `welcome.create.way.${wayOf(job)}`)}
    </Group>
  );
}

function wayOf({ state }: MintJob): 'signing' | 'submitted' | 'seen' {
  if (mintStates.is(state, 'onNetwork')) return 'seen';
  return state === 'submitted' ? 'submitted' : 'signing';
}

function Done({ job }: { job: MintJob }) {
  const { t, i18n } = useTranslation();
  const index = job.review?.outputs.findIndex(({ kind }) => kind === 'token') ?? 0;
  const txid = job.txid as string;
  return (
    <>
      <Group gap="xs" role="status" className={classes.done}>
        <IconCircleCheck {...icon} size={22} />
        {t('welcome.create.done', { height: formatInteger(job.blockHeight ?? 0, i18n.language) })}
      </Group>
      <Text size="sm">{t(job.state === 'proven' ? 'welcome.create.proven' : 'welcome.create.proving')}</Text>
      <Group gap="xs">
        <Button component={Link} href={routes.transaction(txid)} leftSection={<IconShieldCheck {...icon} />}>
          {t('welcome.create.proof')}
        </Button>
        <Button component={Link} href={routes.token(`${txid}_${Math.max(0, index)}`)} variant="default">
          {t('welcome.create.token')}
        </Button>
        <Button component={Link} href={routes.project(job.projectUid)} variant="default">
          {t('welcome.create.project')}
        </Button>
      </Group>
    </>
  );
}
