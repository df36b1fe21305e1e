import { lazy, Suspense, useEffect, useState } from 'react';
import { isTyping } from '../../lib/focus/is-typing.ts';

const HelpSheet = lazy(async () => ({ default: (await import('./help-sheet.tsx')).HelpSheet }));

/** `?` opens the help of the page, except in text fields. */
export function HelpKey() {
  const [opened, setOpened] = useState(false);
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '?' || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return;
      event.preventDefault();
      setWanted(true);
      setOpened((was) => !was);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    wanted && (
      <Suspense fallback={null}>
        <HelpSheet opened={opened} onClose={() => setOpened(false)} />
      </Suspense>
    )
  );
}
