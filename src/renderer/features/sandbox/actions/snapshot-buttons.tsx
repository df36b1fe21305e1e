import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SandboxSnapshot } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { formatInteger } from '../../../lib/format.ts';
import { askFirst } from '../confirm.tsx';
import { Outcome } from '../outcome.tsx';
import { useAction } from '../use-action.ts';
import { withUndo } from '../with-undo.ts';

/** Restores a snapshot after a warning about what is lost, or deletes it. */
export function SnapshotButtons({ snapshot: { name, tip } }: { snapshot: SandboxSnapshot }) {
  const { t, i18n } = useTranslation();
  const action = useAction<unknown>();

  /** Read when the dialog opens, since blocks may have been mined since the page was rendered. */
  async function loss(): Promise<string> {
    const now = await client.sandbox.status().catch(() => null);
    const above = tip === null || now === null ? 0 : now.tip.height - tip.height;
    if (tip === null || above <= 0) return t('sandbox.revertText');
    return t('sandbox.revertAbove', { count: above, height: formatInteger(tip.height, i18n.language) });
  }

  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={action.busy}
        aria-label={t('sandbox.revertTo', { name })}
        onClick={async () => {
          const text = await loss();
          askFirst({
            title: t('sandbox.revertTitle', { name }),
            text,
            confirm: t('sandbox.revert'),
            onConfirm: () =>
              void action.run(() =>
                withUndo(t('sandbox.reverted', { name }), () => client.sandbox.snapshots.revert({ name })),
              ),
          });
        }}
      >
        {t('sandbox.revert')}
      </Button>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        disabled={action.busy}
        aria-label={t('sandbox.removeNamed', { name })}
        onClick={() =>
          askFirst({
            title: t('sandbox.removeTitle', { name }),
            text: t('sandbox.removeText'),
            confirm: t('sandbox.remove'),
            onConfirm: () => void action.run(() => client.sandbox.snapshots.remove({ name })),
          })
        }
      >
        {t('sandbox.remove')}
      </Button>
      <Outcome action={action} />
    </>
  );
}
