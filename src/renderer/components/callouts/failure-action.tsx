import { Button } from '@mantine/core';
import { useModals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Failure } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { type Mend, mendLink, mendOf } from '../../lib/mends.ts';
import { showFailure } from '../toasts/show-failure.ts';

type Broken = Pick<Failure, 'id' | 'values'>;

/** The button that fixes a failure, or links to the page where a person can; undefined if its hint is enough. */
export function mendButton(failure: Broken): ReactElement | undefined {
  const mend = mendOf(failure);
  return mend && <MendButton mend={mend} failure={failure} />;
}

function MendButton({ mend, failure }: { mend: Mend; failure: Broken }) {
  const { t } = useTranslation();
  const modals = useModals();
  const clear = useMutation({
    mutationFn: () => client.sandbox.faults.clear({}),
    onError: (error) => showFailure('faults-cleared', error),
  });
  const network = useLive(({ app }) => app?.network ?? 'sandbox');
  const to = mendLink(mend, failure, network);
  const label = t(`common.mend.${mend}`);
  return to === null ? (
    <Button size="xs" variant="default" loading={clear.isPending} onClick={() => clear.mutate()}>
      {label}
    </Button>
  ) : (
    // A dialog would stay open above the linked page.
    <Button component={Link} href={to} size="xs" variant="default" onClick={() => modals.closeAll()}>
      {label}
    </Button>
  );
}
