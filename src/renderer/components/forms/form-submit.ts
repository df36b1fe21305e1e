import type { FormEvent } from 'react';

/** The handler of a form that the page itself takes care of: the browser does not send it. */
export function formSubmit(act: () => unknown): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault();
    act();
  };
}
